#include <algorithm>
#include <cmath>

#include "ops/finite.hpp"

namespace virnucpro {

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

}  // namespace virnucpro
