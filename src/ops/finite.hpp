#pragma once

#include <span>

namespace virnucpro {

// True if no value is NaN or infinite.
bool all_finite(std::span<const float> values);

}  // namespace virnucpro
