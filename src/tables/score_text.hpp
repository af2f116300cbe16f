#pragma once

#include <string>

namespace virnucpro {

// Returns the shortest decimal that reads back as the same float32, formatted as numpy prints it:
// scientific below 1e-4 and from 1e16, an exponent of at least two digits, "1.0", "1e-05".
std::string score_text(float score);

// Returns the double of those digits: the score that a reader of the tables sees. float32(0.7) is
// 0.699999988, and is printed as 0.7. Rules compare it, so that a reader comes to the same calls.
double printed_score(float score);

}  // namespace virnucpro
