#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/backend_cpu.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The classifier. Its inputs are both embeddings side by side. It always computes in fp32:
// Linear → BatchNorm (running statistics) → ReLU → Linear → softmax.
template <class Backend>
class ClassifierModel {
 public:
  using Context = typename Backend::Context;
  using Matrix = typename Backend::Matrix;

  ClassifierModel(const ClassifierWeights& weights, Context& context);
  ~ClassifierModel();
  ClassifierModel(ClassifierModel&&) noexcept;

  std::uint32_t inputs() const;
  // Makes the matrix of hidden units for a batch of this many frames.
  static Matrix activations(Context& context, const ClassifierShape& shape, std::size_t frames);

  // `merged` is [frames, inputs]; `scores` is [frames, 2], probabilities of `others` and `virus`.
  void classify(Context& context, const Matrix& merged, typename Backend::Scores scores) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

using Classifier = ClassifierModel<CpuBackend>;

}  // namespace virnucpro
