#include <algorithm>
#include <vector>

#include "ops/class_head.hpp"
#include "ops/softmax.hpp"

namespace virnucpro {

ClassHead::ClassHead(OpContext& context, const Weights& weights, const std::string& name,
                     std::size_t inputs, std::size_t classes)
    : linear_(context, weights, std::vector{LinearPart{name + ".weight", name + ".bias", classes}},
              inputs, Precision::kFp32, Epilogue::kBias) {}

void ClassHead::run(OpContext& context, const Panels& in, std::span<float> out) const {
  Panels logits(in.rows(), linear_.outputs());
  linear_.run(context, in, logits);
  for (std::size_t row = 0; row < logits.rows(); ++row) {
    softmax({logits.row(row), logits.width()});
  }
  std::copy(logits.values().begin(), logits.values().end(), out.begin());
}

}  // namespace virnucpro
