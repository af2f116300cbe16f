#pragma once

#include <string>

#include "report/page.hpp"

namespace virnucpro {

// The page as one HTML file that asks the network for nothing: style, plots and a small script
// (which filters and sorts a table; the page is whole without it) are within it, and its policy
// lets a browser load nothing else.
std::string report_html(const Page& page);

// The page as Markdown with tables: bars as rows, lines as their least, average and largest number
// beside a strip of blocks, heat maps as tables with the chosen cell in bold.
std::string report_markdown(const Page& page);

// The page as JSON, with numbers as they are and null for what was not measured: "sections" holds
// each section's "fields", "tables" (a list of objects each) and "plots" by their keys.
std::string report_json(const Page& page);

}  // namespace virnucpro
