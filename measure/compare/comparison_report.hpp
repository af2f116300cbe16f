#pragma once

#include <string>

#include "measure/compare/compare_outputs.hpp"

namespace virnucpro {

// Returns the comparison as text for people; every line ends with a line feed.
std::string comparison_text(const Comparison& comparison);

// Returns the comparison as JSON (docs/reference/files.md); unknown values and NaN are null.
std::string comparison_json(const Comparison& comparison);

}  // namespace virnucpro
