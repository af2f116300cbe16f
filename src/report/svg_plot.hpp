#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/page.hpp"

namespace virnucpro {

// Text as it stands in HTML and XML, in elements and quoted attributes.
std::string escaped(std::string_view text);

// Of lines that can be told apart: the CSS variables --c1 to --c6 of the page.
inline constexpr std::size_t kPlotColours = 6;

// The plot as an <svg> of its own: axes with units, a <title> for those who do not see it, one a
// line, bar and cell. Its size follows from the width it is given, but for a heat map, whose cells
// hold text and are as large as that; colours are the CSS variables --ink, --soft and --line of the
// page it stands in, and those of kPlotColours. Numbers that are not finite are left out; a plot
// without any says so.
std::string svg_plot(const Plot& plot);

}  // namespace virnucpro
