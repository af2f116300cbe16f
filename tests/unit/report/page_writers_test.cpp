#include "report/page_writers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "report/svg_plot.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;
using testing::Not;

// A page in which every text that may come from a file is this one.
Page page_of(const std::string& text) {
  Table table{.key = "t", .caption = text, .columns = {{"c", text}}, .rows = {{{text}}}};
  Section section{.key = "s", .title = text};
  section.note = text;
  section.preformatted = text;
  section.fields = {{"f", text, text}};
  section.tables = {table};
  Page page;
  page.title = text;
  page.subtitle = text;
  page.badges = {text};
  page.highlights = {{"h", text, text}};
  page.warnings = {text};
  page.sections = {section};
  return page;
}

// Markdown without what is code: lines that begin with four blanks.
std::string without_code(const std::string& markdown) {
  std::string rest;
  for (const std::string_view line : split_list(markdown, '\n')) {
    if (!line.starts_with("    ")) rest += std::string(line) + "\n";
  }
  return rest;
}

TEST(Markdown, NoTextBecomesMarkupOrALink) {
  for (const char* hostile :
       {"[x](javascript:1)", "![x](a.png)", "<img src=x>", "a|b", "**b**", "`c`", "~~d~~"}) {
    const std::string text = without_code(report_markdown(page_of(hostile)));
    EXPECT_THAT(text, Not(HasSubstr(hostile)));
  }
  const std::string links = without_code(
      report_markdown(page_of("https://a.example www.b.example WWW.c.example d@e.example")));
  EXPECT_THAT(links,
              HasSubstr("https\\://a.example www\\.b.example WWW\\.c.example d\\@e.example"));
}

TEST(Markdown, NoTextEndsItsLine) {
  const std::string text = report_markdown(page_of("a\n# b\r\n| c |"));
  EXPECT_THAT(text, Not(HasSubstr("\n# b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST(Pages, HoldNothingThatIsNotSeen) {
  for (const char* hostile : {"a\x1b[2J", "a\xc2\x9b", "a\u202ecba", "a\xff", "a\u2028"}) {
    const Page page = page_of(hostile);
    for (const std::string& text : {report_markdown(page), report_html(page)}) {
      EXPECT_EQ(printable_lines(text), text) << printable(hostile);
    }
  }
}

TEST(Html, FoldsASectionBelowItsTitle) {
  Page page = page_of("text");
  EXPECT_THAT(report_html(page), Not(HasSubstr("<details>")));
  page.sections.front().folded = true;
  page.sections.push_back(page.sections.front());
  page.sections.back().key = "second";
  const std::string html = report_html(page);
  EXPECT_THAT(html, HasSubstr("<details><summary><h2 id=\"s-title\">text</h2></summary>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#s\">"));
  EXPECT_THAT(html, Not(HasSubstr("<a href=\"#second\">")));
}

// So that they are seen wherever a wide table is scrolled to, and on paper.
TEST(Html, HasNotesBelowTheName) {
  Page page = page_of("text");
  page.sections.front().tables = {{.key = "t",
                                   .caption = "c",
                                   .columns = {{"name", "Name"},
                                               {"state", "State", Measure::kStatus},
                                               {"notes", "Notes", Measure::kNone, "", true}},
                                   .rows = {{std::string(40, 'n'), "2 inputs failed", "<b>"},
                                            {std::string(41, 'l'), "not above", ""}},
                                   .fills_screen = true}};
  const std::string html = report_html(page);
  EXPECT_THAT(html, HasSubstr(fmt::format("<td>{}<span class=\"under\">&lt;b&gt;</span></td>"
                                          "<td><span class=\"badge bad\">2 inputs failed",
                                          std::string(40, 'n'))));
  EXPECT_THAT(html,
              HasSubstr(fmt::format("<td class=\"wide\">{}</td><td><span class=\"badge \">not",
                                    std::string(41, 'l'))));
  EXPECT_THAT(html, Not(HasSubstr(">Notes</th>")));
  EXPECT_THAT(report_tsv(page.sections.front().tables.front()), HasSubstr("name\tstate\tnotes\n"));
}

// A page in the dark draws a plot's colours as its style says.
TEST(Html, GivesEachColourOfAPlotAVariable) {
  const std::string html = report_html(page_of("text"));
  for (const PlotColour& colour : kPlotColours) {
    EXPECT_THAT(html, HasSubstr(fmt::format(" --{}: {};", colour.variable, colour.value)));
    EXPECT_THAT(html, HasSubstr(fmt::format("figure [fill=\"{}\"] {{ fill: var(--{}); }}",
                                            colour.value, colour.variable)));
  }
}

TEST(Tsv, HasNoFormula) {
  Table table{.columns = {{"name", "Name"}, {"number", "Number"}}};
  for (const char* name : {"=1+1", "+1", "-1", "@sum", "a=b", ""})
    table.rows.push_back({name, -1.5});
  EXPECT_EQ(report_tsv(table),
            "name\tnumber\n_1+1\t-1.5\n_1\t-1.5\n_1\t-1.5\n_sum\t-1.5\na=b\t-1.5\n\t-1.5\n");
  EXPECT_EQ(without_formula("\t=1"), "_=1");
  EXPECT_EQ(without_formula("\r=1"), "_=1");
}

TEST(Html, NoTextBecomesMarkup) {
  const std::string text = report_html(page_of("</style></script><img src=x onerror='a()'>\"&"));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, HasSubstr("&lt;img src=x onerror=&#39;a()&#39;&gt;&quot;&amp;"));
}

}  // namespace
}  // namespace virnucpro
