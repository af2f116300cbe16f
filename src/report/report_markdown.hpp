#pragma once

#include <string>

#include "report/page.hpp"

namespace virnucpro {

// The page as Markdown with tables: bars as rows, lines as their least, average and largest number
// beside a strip of blocks, heat maps as tables with the chosen cell in bold.
std::string report_markdown(const Page& page);

}  // namespace virnucpro
