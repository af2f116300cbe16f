#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "ops/batch_norm.hpp"

namespace virnucpro {

BatchNormRelu::BatchNormRelu(const Weights& weights, const std::string& name, std::size_t width,
                             float eps)
    : mean_(read_tensor(weights, name + ".running_mean", {width})),
      scale_(read_tensor(weights, name + ".weight", {width})),
      bias_(read_tensor(weights, name + ".bias", {width})) {
  const HostArray<float> variance = read_tensor(weights, name + ".running_var", {width});
  for (std::size_t i = 0; i < width; ++i) {
    const float value = variance.span()[i];
    if (value < 0.0F) {
      throw Error(ErrorKind::kWeightsTensor,
                  {.file = weights.origin(), .tensor = name + ".running_var"},
                  fmt::format("element {} is {}; a variance cannot be negative", i, value));
    }
    scale_.span()[i] /= std::sqrt(value + eps);
  }
}

void BatchNormRelu::run(Panels& values) const {
  const std::size_t width = values.width();
  for (std::size_t row = 0; row < values.rows(); ++row) {
    float* x = values.row(row);
    for (std::size_t i = 0; i < width; ++i) {
      const float y = (x[i] - mean_.data()[i]) * scale_.data()[i] + bias_.data()[i];
      x[i] = y < 0.0F ? 0.0F : y;  // NaN stays NaN
    }
  }
}

}  // namespace virnucpro
