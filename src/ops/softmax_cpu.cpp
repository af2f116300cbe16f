#include <algorithm>
#include <cmath>

#include "ops/softmax.hpp"

namespace virnucpro {

void softmax(std::span<float> row) {
  const float largest = *std::max_element(row.begin(), row.end());
  float sum = 0.0F;
  for (float& value : row) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (float& value : row) value /= sum;
}

}  // namespace virnucpro
