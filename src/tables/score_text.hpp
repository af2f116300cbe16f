#pragma once

#include <string>

namespace virnucpro {

// Returns the shortest decimal that reads back as the same float32, in numpy's format: scientific
// below 1e-4 and from 1e16 on, an exponent of at least two digits, "1.0", "1e-05".
std::string score_text(float score);

// Returns the double of the digits that score_text() prints: float32(0.7) is 0.699999988, but is
// printed as 0.7. Rules compare this double, so a reader of the tables comes to the same calls.
double printed_score(float score);

}  // namespace virnucpro
