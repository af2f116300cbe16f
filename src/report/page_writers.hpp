#pragma once

#include <string>

#include "report/page.hpp"

namespace virnucpro {

// Returns the page as one HTML file that needs no network, because people mail and keep it. The
// file contains the style, the plots and a small script that filters and sorts tables and saves
// plots; without the script, the content is the same. Browsers are forbidden to load anything else.
std::string report_html(const Page& page);

// Returns the page as Markdown. A bar becomes a table row. A line becomes a row with its least,
// average and largest value and a small chart of block characters (▁▂▃). A heat map becomes a table
// in which the chosen cell is bold.
std::string report_markdown(const Page& page);

// Returns the page as JSON. Numbers are unrounded; unmeasured values are null. "sections" has each
// section's "fields", "tables" (each a list of objects) and "plots" by their keys.
std::string report_json(const Page& page);

// Returns a table as tab-separated text. The first line has the columns' keys. Numbers are
// unrounded; empty values are NA. No text begins like a spreadsheet's formula. The table's texts
// must come from shown_text(), so that they contain no tab.
std::string report_tsv(const Table& table);

}  // namespace virnucpro
