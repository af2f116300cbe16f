#include "report/svg_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace virnucpro {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Plot plot_of(PlotKind kind) {
  Plot plot;
  plot.kind = kind;
  plot.title = "<Title>";
  return plot;
}

TEST(SvgPlot, EscapesText) {
  EXPECT_EQ(escaped("<a b=\"c\">'&'</a>"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  for (const PlotKind kind : {PlotKind::kOverTime, PlotKind::kBars, PlotKind::kRows}) {
    Plot plot = plot_of(kind);
    plot.lines = {{"<line>", {{0, 1}, {1, 2}}}};
    plot.bars = {{"<tick>", "<bar>", 1}};
    plot.x_label = "<x>";
    const std::string svg = svg_plot(plot);
    for (const char* raw : {"<Title>", "<line>", "<tick>", "<bar>", "<x>"}) {
      EXPECT_THAT(svg, Not(HasSubstr(raw)));
    }
    EXPECT_THAT(svg, HasSubstr("<title>&lt;Title&gt;</title>"));
  }
}

TEST(SvgPlot, DrawsNothingThatIsNotFinite) {
  for (const PlotKind kind :
       {PlotKind::kOverTime, PlotKind::kOverNumber, PlotKind::kBars, PlotKind::kRows}) {
    Plot plot = plot_of(kind);
    plot.lines = {{"line", {{kNaN, 1}, {1, kInfinity}, {0.5, 1}, {1, 1e-300}}}};
    plot.bars = {{"a", "a", kNaN}, {"b", "b", kInfinity}, {"c", "c", 3}};
    const std::string svg = svg_plot(plot);
    EXPECT_THAT(svg, Not(HasSubstr("\"nan")));
    EXPECT_THAT(svg, Not(HasSubstr("\"inf")));
    EXPECT_THAT(svg, Not(HasSubstr("Mnan")));
    EXPECT_LT(svg.size(), 10000U);
  }
}

TEST(SvgPlot, SaysThatNothingWasMeasured) {
  EXPECT_THAT(svg_plot(plot_of(PlotKind::kOverTime)), HasSubstr("not measured"));
  EXPECT_THAT(svg_plot(plot_of(PlotKind::kBars)), HasSubstr("not measured"));
  Plot plot = plot_of(PlotKind::kOverTime);
  plot.lines = {{"line", {{kNaN, kNaN}}}};
  EXPECT_THAT(svg_plot(plot), HasSubstr("not measured"));
}

TEST(SvgPlot, TakesNumbersOfAnySize) {
  for (const double size : {0.0, 1e-300, 1e-9, 1.0, 1e15, 1e300}) {
    Plot plot = plot_of(PlotKind::kOverTime);
    plot.lines = {{"line", {{size, size}}}};
    EXPECT_LT(svg_plot(plot).size(), 10000U) << size;
    plot.kind = PlotKind::kBars;
    plot.bars = {{"a", "a", size}};
    EXPECT_LT(svg_plot(plot).size(), 10000U) << size;
  }
}

TEST(SvgPlot, HasTheMostOfItsAxisAboveEveryBar) {
  Plot plot = plot_of(PlotKind::kBars);
  plot.bars = {{"a", "a", 83}};
  EXPECT_THAT(svg_plot(plot), HasSubstr(">100</text>"));
}

}  // namespace
}  // namespace virnucpro
