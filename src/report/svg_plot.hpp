#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/page.hpp"

namespace virnucpro {

// What a plot shows, in words: its numbers, or for long ones the least and the largest.
std::string plot_words(const Plot& plot);

// Escapes a text for elements and quoted attributes of HTML and XML.
std::string escaped(std::string_view text);

// The number of distinct line colours: the CSS variables --c1 to --c6 of the page.
inline constexpr std::size_t kPlotColours = 6;

// The plot as an <svg> element: axes with units, a <title> for the plot and each line, bar and
// cell, and a <desc> with its numbers, for readers who cannot see them. It fills its place's width;
// only a heat map has a fixed size, so that its text stays readable. Colours are the page's CSS
// variables --ink, --soft, --line and those of kPlotColours; a contig's are the classes s1 to s5,
// by its score in fifths, and "unscored". Non-finite numbers are left out; a plot without numbers
// says so.
std::string svg_plot(const Plot& plot);

}  // namespace virnucpro
