#pragma once

#include <string>

namespace virnucpro {

// The shortest decimal that reads back to the same float32, laid out as numpy prints a float32:
// scientific below 1e-4 and from 1e16, an exponent of at least two digits, "1.0", "1e-05".
std::string score_text(float score);

}  // namespace virnucpro
