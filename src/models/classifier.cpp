#include "models/classifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "ops/batch_norm.hpp"
#include "ops/linear.hpp"
#include "ops/softmax.hpp"

namespace virnucpro {
namespace {

Linear dense(OpContext& context, const Weights& weights, const std::string& name,
             std::size_t inputs, std::size_t outputs) {
  return Linear(context, weights,
                std::vector{LinearPart{name + ".weight", name + ".bias", outputs}}, inputs,
                Precision::kFp32, Epilogue::kBias);
}

}  // namespace

struct Classifier::Layers {
  Layers(OpContext& context, const ClassifierShape& its_shape, const Weights& weights)
      : shape(its_shape),
        hidden(dense(context, weights, "hidden_layer", shape.inputs, shape.hidden)),
        norm(weights, "bn1", shape.hidden, shape.batch_norm_eps),
        output(dense(context, weights, "output_layer", shape.hidden, shape.classes)) {}

  ClassifierShape shape;
  Linear hidden;
  BatchNormRelu norm;
  Linear output;
};

Classifier::Classifier(const ClassifierWeights& weights, OpContext& context) {
  const ClassifierShape& shape = weights.shape;
  if (shape.inputs == 0 || shape.hidden == 0 || shape.classes != 2) {
    throw Error(ErrorKind::kWeightsFormat, {.file = weights.tensors->origin()},
                fmt::format("a classifier of {} inputs, {} hidden units and {} classes, expected "
                            "positive sizes and 2 classes",
                            shape.inputs, shape.hidden, shape.classes));
  }
  layers_ = std::make_unique<const Layers>(context, shape, *weights.tensors);
}

Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;

std::uint32_t Classifier::inputs() const {
  return layers_->shape.inputs;
}

void Classifier::classify(OpContext& context, std::span<const float> merged,
                          std::span<float> scores) const {
  const ClassifierShape& shape = layers_->shape;
  const std::size_t frames = merged.size() / shape.inputs;
  if (merged.size() != frames * shape.inputs || scores.size() != frames * shape.classes) {
    throw Error(ErrorKind::kInternal, fmt::format("classifier: {} numbers in, {} out, {} inputs",
                                                  merged.size(), scores.size(), shape.inputs));
  }
  Panels x(frames, shape.inputs);
  Panels hidden(frames, shape.hidden);
  Panels logits(frames, shape.classes);

  std::copy(merged.begin(), merged.end(), x.values().begin());
  layers_->hidden.run(context, x, hidden);
  layers_->norm.run(hidden);
  layers_->output.run(context, hidden, logits);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    softmax({logits.row(frame), shape.classes});
  }
  std::copy(logits.values().begin(), logits.values().end(), scores.begin());
}

}  // namespace virnucpro
