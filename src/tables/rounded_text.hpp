#pragma once

#include <string>

namespace virnucpro {

// These functions return numbers with three decimals, as pandas prints rounded doubles: the
// shortest digits that read back, and always a point.

// Rounds like numpy.round(value, 3).
std::string numpy_rounded_text(double value);
// Rounds like Python's round(value, 3), which rounds the exact value to the nearest decimal.
std::string python_rounded_text(double value);

}  // namespace virnucpro
