#pragma once

#include <string>

#include "report/page.hpp"

namespace virnucpro {

// The page as one HTML file that asks the network for nothing: style, plots and a small script
// (which filters and sorts a table; the page is whole without it) are within it, and its policy
// lets a browser load nothing else.
std::string report_html(const Page& page);

}  // namespace virnucpro
