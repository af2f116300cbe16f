#pragma once

#include <string>

namespace virnucpro {

// Returns the shortest decimal that reads back as the same float32, in numpy's format: "1.0",
// "1e-05". The format is scientific below 1e-4 and from 1e16 on; an exponent has two digits or
// more.
std::string score_text(float score);

// Returns the double of the digits that score_text() prints: float32(0.7) is 0.699999988, but is
// printed as 0.7. Rules compare this double, so that a reader of the tables gets the same calls.
double printed_score(float score);

}  // namespace virnucpro
