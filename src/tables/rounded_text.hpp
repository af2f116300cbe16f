#pragma once

#include <string>

namespace virnucpro {

// Numbers with three decimals, as pandas prints doubles that were rounded before: the shortest
// digits that read back, and always a point.

// Rounded by numpy.round(value, 3).
std::string numpy_rounded_text(double value);
// Rounded by Python's round(value, 3): to the nearest decimal of the exact value.
std::string python_rounded_text(double value);

}  // namespace virnucpro
