#pragma once

#include <string>

#include "report/page.hpp"

namespace virnucpro {

// Returns the page as one HTML file that needs no network, because people mail and keep it. It
// contains its style, its plots and a small script, which filters and sorts tables and saves plots;
// the page is complete without it. Its content security policy lets a browser load nothing else.
std::string report_html(const Page& page);

// Returns the page as Markdown with tables. Bars become rows. Lines become their least, average and
// largest number and a strip of blocks. Heat maps become tables with the chosen cell in bold.
std::string report_markdown(const Page& page);

// Returns the page as JSON. Numbers are unrounded; unmeasured values are null. "sections" holds
// each section's "fields", "tables" (each a list of objects) and "plots" by their keys.
std::string report_json(const Page& page);

// Returns a table as tab-separated text. Its first line has the columns' keys. Numbers are
// unrounded; empty values are NA. No text acts as a spreadsheet's formula. Texts must have gone
// through shown_text(), which leaves no tab.
std::string report_tsv(const Table& table);

}  // namespace virnucpro
