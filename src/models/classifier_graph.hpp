#pragma once

// The definitions for models/classifier.hpp. One .cpp file of each backend includes this header.
#include <fmt/format.h>

#include <vector>

#include "base/error.hpp"
#include "models/classifier.hpp"

namespace virnucpro {

template <class Backend>
struct ClassifierModel<Backend>::Layers {
  Layers(Context& context, const ClassifierShape& its_shape, const Weights& weights)
      : shape(its_shape),
        hidden(context, weights,
               std::vector{LinearPart{"hidden_layer.weight", "hidden_layer.bias", shape.hidden}},
               shape.inputs, Precision::kFp32, Epilogue::kBias),
        norm(Backend::batch_norm_relu(context, weights, "bn1", shape.hidden, shape.batch_norm_eps)),
        head(context, weights, "output_layer", shape.hidden, shape.classes) {}

  ClassifierShape shape;
  typename Backend::Linear hidden;
  typename Backend::BatchNormRelu norm;
  typename Backend::ClassHead head;
};

template <class Backend>
ClassifierModel<Backend>::ClassifierModel(const ClassifierWeights& weights, Context& context) {
  const ClassifierShape& shape = weights.shape;
  if (shape.inputs == 0 || shape.hidden == 0 || shape.classes != 2) {
    throw Error(
        ErrorKind::kWeightsFormat, {.file = weights.tensors->origin()},
        fmt::format("the classifier has {} inputs, {} hidden units and {} classes; it needs at "
                    "least 1 input, at least 1 hidden unit and exactly 2 classes",
                    shape.inputs, shape.hidden, shape.classes));
  }
  layers_ = std::make_unique<const Layers>(context, shape, *weights.tensors);
}

template <class Backend>
ClassifierModel<Backend>::~ClassifierModel() = default;
template <class Backend>
ClassifierModel<Backend>::ClassifierModel(ClassifierModel&&) noexcept = default;

template <class Backend>
std::uint32_t ClassifierModel<Backend>::inputs() const {
  return layers_->shape.inputs;
}

template <class Backend>
typename ClassifierModel<Backend>::Matrix ClassifierModel<Backend>::activations(
    Context& context, const ClassifierShape& shape, std::size_t frames) {
  return Backend::residual(context, frames, shape.hidden);
}

template <class Backend>
void ClassifierModel<Backend>::classify(Context& context, const Matrix& merged,
                                        typename Backend::Scores scores) const {
  const ClassifierShape& shape = layers_->shape;
  const std::size_t frames = Backend::rows(merged);
  if (Backend::width(merged) != shape.inputs || scores.size() != frames * shape.classes) {
    throw Error(
        ErrorKind::kInternal,
        fmt::format(
            "the classifier got {} frames of {} numbers and room for {} scores; it has {} inputs",
            frames, Backend::width(merged), scores.size(), shape.inputs));
  }
  Matrix hidden = activations(context, shape, frames);
  layers_->hidden.run(context, merged, hidden);
  Backend::normalise_relu(context, layers_->norm, hidden);
  layers_->head.run(context, hidden, scores);
}

}  // namespace virnucpro
