#pragma once

#include <string>

namespace virnucpro {

// The shortest decimal that reads back as the same float32, formatted as numpy prints it:
// scientific below 1e-4 and from 1e16, an exponent of at least two digits, "1.0", "1e-05".
std::string score_text(float score);

}  // namespace virnucpro
