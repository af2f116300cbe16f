#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_values.hpp"
#include "report/page_writers.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

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

TEST(HeatMap, ScrollsInHtmlWhereItIsWide) {
  const std::string html = report_html(page_with_a_map());
  EXPECT_THAT(html, HasSubstr("<div class=\"wide-plot\" tabindex=\"0\" role=\"group\" "
                              "aria-label=\"A map\">\n<svg class=\"plot\""));
  EXPECT_THAT(html, HasSubstr(".wide-plot { overflow-x: auto; }"));
}

}  // namespace
}  // namespace virnucpro
