#pragma once

#include <string>

namespace virnucpro {

// These return numbers with three decimals, as pandas prints rounded doubles: the shortest digits
// that read back, and always a point.

// Rounds like numpy.round(value, 3).
std::string numpy_rounded_text(double value);
// Rounds like Python's round(value, 3): to the nearest decimal of the exact value.
std::string python_rounded_text(double value);

}  // namespace virnucpro
