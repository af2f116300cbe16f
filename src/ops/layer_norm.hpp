#pragma once

#include <string>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "ops/read_tensor.hpp"

namespace virnucpro {

// Layer normalisation (Ba et al. 2016), in fp32: (x − mean) / √(variance + eps) · weight + bias for
// each row. The order of each sum depends only on the width.
class LayerNorm {
 public:
  // Reads `name`.weight and `name`.bias, each [width].
  LayerNorm(const Weights& weights, const std::string& name, std::size_t width, float eps);

  // `in` and `out` have the same shape and may be the same.
  void run(OpContext& context, const Panels& in, Panels& out) const;

 private:
  float eps_;
  HostArray<float> weight_;
  HostArray<float> bias_;
};

}  // namespace virnucpro
