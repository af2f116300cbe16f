#pragma once

#include <string>

namespace virnucpro {

// These functions round to three decimals and return the text that pandas prints: the shortest
// digits that read back as the same double, always with a point.

// Rounds like numpy.round(value, 3).
std::string numpy_rounded_text(double value);
// Rounds like Python's round(value, 3), which rounds the exact value to the nearest decimal.
std::string python_rounded_text(double value);

}  // namespace virnucpro
