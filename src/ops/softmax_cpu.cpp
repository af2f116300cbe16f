#include <algorithm>
#include <cmath>

#include "ops/softmax.hpp"

namespace virnucpro {

void softmax(std::span<float> row) {
  const float largest = *std::max_element(row.begin(), row.end());
  float sum = 0.0F;
  for (float& value : row) {
    // Computes in double, so that the last bit of the C library's exp() does not matter.
    value = static_cast<float>(std::exp(static_cast<double>(value) - static_cast<double>(largest)));
    sum += value;
  }
  for (float& value : row) value /= sum;
}

}  // namespace virnucpro
