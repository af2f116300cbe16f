#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ops/context.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The classifier over both embeddings: Linear → BatchNorm (running statistics) → ReLU → Linear →
// softmax, always in fp32.
class Classifier {
 public:
  Classifier(const ClassifierWeights& weights, OpContext& context);
  ~Classifier();
  Classifier(Classifier&&) noexcept;

  std::uint32_t inputs() const;

  // merged: [frames, inputs]; scores: [frames, 2], probabilities of `others` and `virus`.
  void classify(OpContext& context, std::span<const float> merged, std::span<float> scores) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

}  // namespace virnucpro
