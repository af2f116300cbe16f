#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "ops/read_tensor.hpp"

namespace virnucpro {

// Batch normalisation with running statistics (Ioffe and Szegedy 2015), then ReLU.
class BatchNormRelu {
 public:
  // Reads `name`.{weight,bias,running_mean,running_var}, each [width]. Errors: kWeightsTensor if a
  // variance is negative.
  BatchNormRelu(const Weights& weights, const std::string& name, std::size_t width, float eps);

  void run(Panels& values) const;

  // These three functions return the vectors of ReLU((x − mean) · scale + bias), each [width].
  std::span<const float> mean() const { return mean_.span(); }
  std::span<const float> scale() const { return scale_.span(); }
  std::span<const float> bias() const { return bias_.span(); }

 private:
  HostArray<float> mean_;
  HostArray<float> scale_;  // weight / √(running_var + eps)
  HostArray<float> bias_;
};

}  // namespace virnucpro
