#pragma once

#include <string>

#include "validate/compare/compare_outputs.hpp"

namespace virnucpro {

// A comparison as a table for people; every line has its end.
std::string comparison_text(const Comparison& comparison);

// The same for programs (docs/reference/files.md); unknown values and NaN are null.
std::string comparison_json(const Comparison& comparison);

}  // namespace virnucpro
