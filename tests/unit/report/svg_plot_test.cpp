#include "report/svg_plot.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/json.hpp"
#include "report/page_writers.hpp"

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

// Two rows of three columns.
Plot heat_map() {
  Plot plot = plot_of(PlotKind::kHeatMap);
  plot.x_label = "budget";
  plot.unit = Measure::kPerSecond;
  plot.map = {.row_label = "threads",
              .rows = {"1", "2"},
              .columns = {"512", "1024", "2048"},
              .cells = {{.value = 10, .heat = 0.1, .note = "10 %", .mark = HeatMark::kLeftOut},
                        {.value = 50, .heat = 0.5},
                        {.note = "out of memory", .mark = HeatMark::kLeftOut},
                        {.value = 60, .heat = 0.6},
                        {.value = 100, .heat = 1, .note = "best", .mark = HeatMark::kChosen},
                        {.value = 90, .heat = 0.9}}};
  return plot;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
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
    EXPECT_THAT(svg, HasSubstr("<title>&lt;Title&gt;</title><desc>"));
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

Plot contig() {
  Plot plot = plot_of(PlotKind::kContig);
  plot.stretches = {{0, 500, 0.95}, {500, 750, {}}, {750, 1000, 0.05}};
  plot.cut_off = 0.7;
  return plot;
}

// One of each kind, with all that is drawn of it.
std::vector<Plot> plots_of_all_kinds() {
  std::vector<Plot> plots{heat_map(), contig()};
  for (const PlotKind kind :
       {PlotKind::kOverTime, PlotKind::kOverNumber, PlotKind::kBars, PlotKind::kRows}) {
    Plot plot = plot_of(kind);
    plot.x_label = "the x";
    plot.y_label = "the y";
    plot.lines = {{"first", {{0, 1}, {0.975, 2}}}, {"second \"one\"", {{0.5, 2}}}};
    plot.bars = {{"0.00", "a", 1}, {"0.20", "b", 2, 3}};
    plot.end_tick = "1";
    plot.cut_off = 0.65;
    plots.push_back(plot);
  }
  return plots;
}

// A whole file: a paper has no page's style.
TEST(SvgPlot, NeedsNoStyle) {
  for (const Plot& plot : plots_of_all_kinds()) {
    const std::string svg = svg_plot(plot);
    EXPECT_TRUE(svg.starts_with(kFigureStart)) << svg;
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_THAT(svg, HasSubstr("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"));
    for (const char* part : {"class=", "style=", "var(", "url(", "href"}) {
      EXPECT_THAT(svg, Not(HasSubstr(part)));
    }
    std::size_t coloured = count_of(svg, "fill=\"none\"") + count_of(svg, "fill=\"#ffffff\"");
    for (const PlotColour& colour : kPlotColours) {
      coloured += count_of(svg, fmt::format("fill=\"{}\"", colour.value)) +
                  count_of(svg, fmt::format("stroke=\"{}\"", colour.value));
    }
    EXPECT_EQ(coloured, count_of(svg, "fill=\"") + count_of(svg, "stroke=\"")) << svg;
  }
}

TEST(SvgPlot, NamesItsAxes) {
  for (const Plot& plot : plots_of_all_kinds()) {
    if (plot.kind == PlotKind::kHeatMap || plot.kind == PlotKind::kContig) continue;
    const std::string svg = svg_plot(plot);
    EXPECT_THAT(svg, HasSubstr(">the y</text>"));
    const bool has_x = plot.kind == PlotKind::kBars || plot.kind == PlotKind::kOverNumber;
    EXPECT_EQ(count_of(svg, ">the x</text>"), has_x ? 1U : 0U);
    EXPECT_EQ(count_of(svg, ">time (s)</text>"), plot.kind == PlotKind::kOverTime ? 1U : 0U);
    const bool has_legend = plot.kind == PlotKind::kOverTime || plot.kind == PlotKind::kOverNumber;
    EXPECT_EQ(count_of(svg, "second \"one\"</text>"), has_legend ? 1U : 0U);
  }
}

// There are fewer colours than GPUs in a machine.
TEST(SvgPlot, TellsEveryLineFromTheOthers) {
  Plot plot = plot_of(PlotKind::kOverTime);
  for (int k = 0; k < 13; ++k) plot.lines.push_back({fmt::format("worker {}", k), {{0, 1}}});
  const std::string svg = svg_plot(plot);
  for (const char* line : {"#2c6fbb\" stroke-width=\"2", "#2c6fbb\" stroke-dasharray=\"3 4\"",
                           "#2c6fbb\" stroke-dasharray=\"6 4\""}) {
    EXPECT_THAT(svg, HasSubstr(line));
  }
}

// A histogram of scores, and lines through the middles of its bins.
TEST(SvgPlot, HasScoresUpToOne) {
  Plot bars = plot_of(PlotKind::kBars);
  bars.end_tick = "1";
  bars.cut_off = 0.65;
  for (int k = 0; k < 20; ++k) bars.bars.push_back({fmt::format("{:.2f}", k / 20.0), "bin", 1});
  const std::string svg = svg_plot(bars);
  for (const char* tick : {"66.0\" y=\"206.0\" text-anchor=\"middle\">0.00<",
                           "339.6\" y=\"206.0\" text-anchor=\"middle\">0.80<",
                           "408.0\" y=\"206.0\" text-anchor=\"middle\">1<",
                           "288.3\" y=\"11.0\" text-anchor=\"middle\">cut-off 0.65<"}) {
    EXPECT_THAT(svg, HasSubstr(tick));
  }
  Plot lines = plot_of(PlotKind::kOverNumber);
  lines.lines = {{"line", {{0.025, 1}, {0.975, 2}}}};
  EXPECT_THAT(svg_plot(lines), HasSubstr("408.0\" y=\"206.0\" text-anchor=\"middle\">1<"));
}

TEST(SvgRows, CutNoNameOfASample) {
  Plot plot = plot_of(PlotKind::kRows);
  const std::string name = std::string(40, 'n') + " (control)";
  plot.bars = {{name, name, 1, 3}, {name + "+", name, 2}};
  const std::string svg = svg_plot(plot);
  EXPECT_THAT(svg, HasSubstr(">" + name + "</text>"));
  EXPECT_THAT(svg, HasSubstr(">" + name + "…</text>"));
  EXPECT_THAT(svg, HasSubstr("<rect fill=\"#8c5bb5\""));
}

TEST(SvgHeatMap, HasTextInEveryCell) {
  const std::string svg = svg_plot(heat_map());
  EXPECT_EQ(count_of(svg, "fill-opacity=\""), 6U);
  for (const char* text :
       {">10 /s<", ">50 /s<", ">–<", ">60 /s<", ">100 /s<", ">90 /s<", ">10 %<", ">out of memory<",
        ">best<", ">threads<", ">budget<", ">512<", ">1024<", ">2048<", ">1<", ">2<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, HasSubstr("<title>threads 2, budget 1024: 100 /s, best</title>"));
}

TEST(SvgHeatMap, MarksCellsAndColoursThemByHeat) {
  const std::string svg = svg_plot(heat_map());
  EXPECT_EQ(count_of(svg, "stroke=\"#5d6570\" stroke-dasharray=\"3 3\""), 2U);
  EXPECT_EQ(count_of(svg, "stroke=\"#1c2024\" stroke-width=\"2.5\""), 1U);
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.04\"><title>threads 1, budget 2048"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.46\"><title>threads 2, budget 1024"));
}

TEST(SvgContig, ShowsScoresByHeightAndColour) {
  const std::string svg = svg_plot(contig());
  EXPECT_THAT(svg, HasSubstr("fill=\"#b3261e\" d=\"M66.0 68v-57.0h171.0v57.0z\""));
  EXPECT_THAT(svg, HasSubstr("opacity=\"0.6\" d=\"M237.0 38h85.5\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"#7b8aa0\" d=\"M322.5 68v-3.0h85.5v3.0z\""));
  for (const char* text :
       {">virus score<", ">0<", ">0.5<", ">1<", ">200<", ">1k<",
        ">position on &lt;Title&gt; (bases)<", ">dashed: cut-off 0.7; striped: unscored<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, HasSubstr("<desc>virus score by base: 1 to 500: 0.95; 501 to 750: unscored; "
                             "751 to 1,000: 0.05</desc>"));
}

TEST(SvgContig, TellsSharesOfAContigWithManyStretches) {
  Plot plot = plot_of(PlotKind::kContig);
  for (std::uint64_t k = 0; k < 20; ++k) {
    plot.stretches.push_back({10 * k, 10 * (k + 1), {}});
    if (k < 10) plot.stretches.back().score = k < 5 ? 0.9 : 0.1;
  }
  EXPECT_THAT(svg_plot(plot),
              HasSubstr("<desc>25 % of all bases have a virus score of 0.5 or more, "
                        "50 % are unscored</desc>"));
  EXPECT_THAT(svg_plot(plot_of(PlotKind::kContig)), HasSubstr("<desc>not measured</desc>"));
}

// For readers who cannot see the plot.
TEST(SvgPlot, TellsItsNumbersInWords) {
  Plot plot = plot_of(PlotKind::kBars);
  plot.bars = {{"a", "first", 3}, {"b", "<b>", 4}};
  EXPECT_THAT(svg_plot(plot), HasSubstr("<desc>first: 3; &lt;b&gt;: 4</desc>"));
  plot = plot_of(PlotKind::kOverTime);
  plot.lines = {{"line", {{0, 2}, {1, kNaN}, {2, 7}}}, {"none", {}}};
  EXPECT_THAT(svg_plot(plot), HasSubstr("<desc>line: from 2 to 7; none: not measured</desc>"));
  EXPECT_THAT(svg_plot(heat_map()),
              HasSubstr("<desc>chosen: threads 2, budget 1024: 100 /s</desc>"));
}

// On a phone, scaled text would be too small.
TEST(SvgHeatMap, KeepsItsSize) {
  EXPECT_THAT(svg_plot(heat_map()),
              HasSubstr(" width=\"354\" height=\"120\" viewBox=\"0 0 354 120\""));
}

TEST(SvgHeatMap, TakesAnyText) {
  Plot plot = heat_map();
  plot.map.cells[0] = {.value = kNaN, .heat = kNaN, .note = "<note>"};
  plot.map.cells[1] = {.value = kInfinity, .heat = kInfinity};
  plot.map.rows[0] = "<row>";
  plot.map.columns[0] = "<column>";
  const std::string svg = svg_plot(plot);
  for (const char* raw : {"<note>", "<row>", "<column>", "nan", "inf"}) {
    EXPECT_THAT(svg, Not(HasSubstr(raw)));
  }
  plot.map = {};
  EXPECT_THAT(svg_plot(plot), HasSubstr("not measured"));
}

Page page_with_a_map() {
  Plot plot{.key = "map",
            .title = "A map",
            .kind = PlotKind::kHeatMap,
            .x_label = "budget",
            .unit = Measure::kPerSecond};
  plot.map = {.row_label = "threads",
              .rows = {"1", "2"},
              .columns = {"512", "1024"},
              .cells = {{.value = 10, .heat = 0.2, .note = "20 %"},
                        {.note = "no <memory>", .mark = HeatMark::kLeftOut},
                        {.value = 50, .heat = 1, .note = "best", .mark = HeatMark::kChosen},
                        {.value = 40, .heat = 0.8}}};
  Section section{.key = "maps", .title = "Maps"};
  section.plots = {plot};
  Page page{.title = "Page"};
  page.sections = {section};
  return page;
}

TEST(HeatMap, IsATableInMarkdown) {
  const std::string text = report_markdown(page_with_a_map());
  EXPECT_THAT(text, HasSubstr("| threads by budget | 512 | 1024 |\n| --- | --- | --- |\n"
                              "| 1 | 10 /s (20 %) | – (no \\<memory\\>) |\n"
                              "| 2 | **50 /s (best)** | 40 /s |\n"));
}

TEST(HeatMap, IsAListOfCellsInJson) {
  const std::string text = report_json(page_with_a_map());
  const JsonValues json(text, "report.json");
  const std::string cells = "sections/maps/plots/map";
  EXPECT_EQ(json.elements(cells), 4U);
  EXPECT_FALSE(json.number(cells + "/1/value"));
  EXPECT_THAT(text, HasSubstr("\"value\": null,\n"));
  EXPECT_EQ(json.text(cells + "/1/note"), "no <memory>");
  EXPECT_EQ(json.text(cells + "/2/row"), "2");
  EXPECT_EQ(json.text(cells + "/2/column"), "512");
  EXPECT_EQ(json.number(cells + "/2/value"), 50.0);
}

TEST(Contig, IsAStripOfBlocksInMarkdownAndAListInJson) {
  Page page{.title = "Page"};
  Section section{.key = "contigs", .title = "Contigs"};
  section.plots = {contig()};
  section.plots.front().key = "contig_1";
  page.sections = {section};
  std::string strip;
  for (int k = 0; k < 48; ++k) strip += k < 24 ? "█" : k < 36 ? "·" : "▁";
  EXPECT_THAT(report_markdown(page), HasSubstr("**\\<Title\\>** \n\n" + strip + "\n"));
  const std::string text = report_json(page);
  const JsonValues json(text, "report.json");
  const std::string map = "sections/contigs/plots/contig_1";
  EXPECT_EQ(json.text(map + "/sequence_id"), "<Title>");
  EXPECT_EQ(json.elements(map + "/stretches"), 3U);
  EXPECT_EQ(json.number(map + "/stretches/2/begin"), 750);
  EXPECT_EQ(json.number(map + "/stretches/2/score"), 0.05);
  EXPECT_FALSE(json.number(map + "/stretches/1/score"));
  EXPECT_THAT(report_html(page), HasSubstr(svg_plot(page.sections.front().plots.front())));
}

TEST(HeatMap, ScrollsInHtmlWhereItIsWide) {
  const std::string html = report_html(page_with_a_map());
  EXPECT_THAT(html, HasSubstr("<div class=\"wide-plot\" tabindex=\"0\" role=\"group\" "
                              "aria-label=\"A map\">\n<svg xmlns="));
  EXPECT_THAT(html, HasSubstr(".wide-plot { overflow-x: auto;"));
}

}  // namespace
}  // namespace virnucpro
