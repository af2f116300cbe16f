#pragma once

#include <string>

#include "report/page.hpp"

namespace virnucpro {

// The page as JSON, with numbers as they are and null for what was not measured: "sections" holds
// each section's "fields", "tables" (a list of objects each) and "plots" by their keys.
std::string report_json(const Page& page);

}  // namespace virnucpro
