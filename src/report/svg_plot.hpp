#pragma once

#include <array>
#include <string>
#include <string_view>

#include "report/page.hpp"

namespace virnucpro {

// Returns a plot's content in words: each bar's number, and each line's least and largest number.
std::string plot_words(const Plot& plot);

// Escapes a text for elements and quoted attributes of HTML and XML.
std::string escaped(std::string_view text);

// A colour of plots. Its variable tells its use: text (ink, soft), grid lines (line), lines and
// bars (c1 …) or a contig's scores (s1 …). A page's style replaces `value` by the CSS variable,
// which has other values on dark pages and in print.
struct PlotColour {
  std::string_view variable;
  std::string_view value;
};
inline constexpr std::array<PlotColour, 14> kPlotColours{{{"ink", "#1c2024"},
                                                          {"soft", "#5d6570"},
                                                          {"line", "#dfe1e4"},
                                                          {"c1", "#2c6fbb"},
                                                          {"c2", "#d1662a"},
                                                          {"c3", "#2f8f6b"},
                                                          {"c4", "#8c5bb5"},
                                                          {"c5", "#b8860b"},
                                                          {"c6", "#c24a6b"},
                                                          {"s1", "#7b8aa0"},
                                                          {"s2", "#8480a6"},
                                                          {"s3", "#9c6d9b"},
                                                          {"s4", "#b04a74"},
                                                          {"s5", "#b3261e"}}};
inline constexpr std::string_view kFigurePaper = "#ffffff";

// Every plot begins with this text.
inline constexpr std::string_view kFigureStart =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" data-program=\"virnucpro\"";

// Returns the plot as an <svg> element, which is also a whole file: its colours are attributes and
// need no style. The plot has axes with units, the cut-off, a legend, and a <title> for the plot
// and each line, bar and cell. Its <desc> has the numbers for readers who cannot see the plot.
// Non-finite numbers are left out; a plot without numbers shows "not measured". The bytes are those
// of a browser's XMLSerializer and a newline.
std::string svg_plot(const Plot& plot);

}  // namespace virnucpro
