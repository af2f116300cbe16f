#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/backend_cpu.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The classifier over both embeddings, always in fp32: Linear → BatchNorm (running statistics) →
// ReLU → Linear → softmax.
template <class Backend>
class ClassifierModel {
 public:
  using Context = typename Backend::Context;
  using Matrix = typename Backend::Matrix;

  ClassifierModel(const ClassifierWeights& weights, Context& context);
  ~ClassifierModel();
  ClassifierModel(ClassifierModel&&) noexcept;

  std::uint32_t inputs() const;
  // Returns the matrix in which a batch of this many frames is computed.
  static Matrix activations(Context& context, const ClassifierShape& shape, std::size_t frames);

  // merged: [frames, inputs]; scores: [frames, 2], probabilities of `others` and `virus`.
  void classify(Context& context, const Matrix& merged, typename Backend::Scores scores) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

using Classifier = ClassifierModel<CpuBackend>;

}  // namespace virnucpro
