#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "base/text.hpp"
#include "report/page_style.hpp"
#include "report/page_writers.hpp"
#include "report/svg_plot.hpp"

namespace virnucpro {
namespace {

// A text with more letters than this may wrap, so its cell has a least width.
constexpr std::size_t kNarrowText = 23;
constexpr std::size_t kLongestName = 40;  // letters of a sample's name

constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'";

struct BadgeColour {
  std::string_view word;
  std::string_view colour;
};
constexpr std::array kBadgeColours{
    BadgeColour{"PASS", "good"},       BadgeColour{"WARN", "warn"},
    BadgeColour{"MISS", "bad"},        BadgeColour{"finished", "good"},
    BadgeColour{"virus", "bad"},       BadgeColour{"partial", "warn"},
    BadgeColour{"failed", "bad"},      BadgeColour{"synthetic weights", "warn"},
    BadgeColour{"read", "good"},       BadgeColour{"above", "bad"},
    BadgeColour{"control", "control"},
};

class Html {
 public:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void raw(std::string_view text) { text_ += text; }
  std::string finish() { return std::move(text_); }

 private:
  std::string text_;
};

std::string badge(const std::string& word) {
  const std::string_view kind = word.ends_with(" failed") ? "failed" : std::string_view(word);
  const auto found = std::ranges::find(kBadgeColours, kind, &BadgeColour::word);
  const std::string_view colour = found == kBadgeColours.end() ? "" : found->colour;
  return fmt::format("<span class=\"badge {}\">{}</span>", colour, escaped(word));
}

bool is_number(Measure unit) {
  return unit != Measure::kNone && unit != Measure::kStatus;
}

void add_fields(Html& html, const std::vector<Field>& fields, std::string_view style) {
  if (fields.empty()) return;
  html.add("<dl class=\"{}\">\n", style);
  for (const Field& field : fields) {
    html.add("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(field.label),
             escaped(value_text(field.value, field.unit)));
  }
  html.raw("</dl>\n");
}

// Returns the start tag of a box that scrolls, also by keys, if its content is too wide.
std::string scroller(std::string_view style, std::string_view name) {
  return fmt::format("<div class=\"{}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">", style,
                     escaped(name));
}

void add_plots(Html& html, const std::vector<Plot>& plots) {
  if (plots.empty()) return;
  html.raw("<div class=\"plots\">\n");
  for (const Plot& plot : plots) {
    const bool may_be_wide = plot.kind == PlotKind::kHeatMap;
    const bool has_axis = plot.kind != PlotKind::kContig && !may_be_wide;  // the axis shows y_label
    html.add("<figure data-name=\"{}\"><figcaption>{} <span>{}</span></figcaption>\n",
             escaped(plot.key), escaped(plot.title), has_axis ? "" : escaped(plot.y_label));
    if (may_be_wide) html.raw(scroller("wide-plot", plot.title) + "\n");
    html.raw(svg_plot(plot));
    html.raw(may_be_wide ? "</div>\n</figure>\n" : "</figure>\n");
  }
  html.raw("</div>\n");
}

// Returns the style that gives plots the colours of the page's variables.
std::string plot_style() {
  std::string variables = ":root {";
  std::string rules = fmt::format("figure [fill=\"{}\"] {{ fill: none; }}\n", kFigurePaper);
  for (const PlotColour& colour : kPlotColours) {
    variables += fmt::format(" --{}: {};", colour.variable, colour.value);
    for (const char* what : {"fill", "stroke"}) {
      rules += fmt::format("figure [{0}=\"{2}\"] {{ {0}: var(--{1}); }}\n", what, colour.variable,
                           colour.value);
    }
  }
  return variables + " }\n" + rules;
}

std::string sort_value(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isinf(*number) ? "Infinity" : fmt::format("{}", *number);  // in JavaScript's form
  }
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *count);
  return "-1";  // sorts unmeasured values before all others
}

// Adds a cell with `under` below its text. Texts of more than `room` letters may wrap.
void add_cell(Html& html, const Value& value, const Column& column, std::size_t room,
              const std::string& under) {
  const Measure unit = column.unit;
  const bool is_absent = std::holds_alternative<std::monostate>(value);
  const std::string text = cell_text(value, column);
  if (unit == Measure::kStatus && std::holds_alternative<std::string>(value)) {
    html.add("<td>{}</td>", badge(text));
  } else if (is_number(unit)) {
    html.add("<td class=\"number\" data-value=\"{}\">{}</td>", sort_value(value), escaped(text));
  } else if (is_absent) {
    html.raw("<td class=\"none\">–</td>");
  } else {
    html.add("<td{}>{}{}</td>", count_letters(text) > room ? " class=\"wide\"" : "", escaped(text),
             under.empty() ? "" : fmt::format("<span class=\"under\">{}</span>", escaped(under)));
  }
}

// Returns the text that a row's first cell shows below its own text.
std::string under_first(const Table& table, const std::vector<Value>& row) {
  const auto column = std::ranges::find(table.columns, true, &Column::is_under_first);
  if (column == table.columns.end()) return {};
  return value_text(row[static_cast<std::size_t>(column - table.columns.begin())], column->unit);
}

void add_table(Html& html, const Table& table) {
  const std::size_t room = table.fills_screen ? kLongestName : kNarrowText;
  html.raw(scroller(fmt::format("table{}{}", table.can_be_filtered ? " long" : "",
                                table.fills_screen ? " main" : ""),
                    table.caption));
  html.add("<table{}>\n<caption><span>{}</span></caption>\n<thead><tr>",
           table.can_be_filtered ? " data-filter" : "", escaped(table.caption));
  for (const Column& column : table.columns) {
    if (column.is_under_first) continue;
    html.add("<th scope=\"col\"{}>{}</th>", is_number(column.unit) ? " class=\"number\"" : "",
             escaped(column.label));
  }
  html.raw("</tr></thead>\n<tbody>\n");
  for (const std::vector<Value>& row : table.rows) {
    html.raw("<tr>");
    const std::string under = under_first(table, row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (table.columns[k].is_under_first) continue;
      add_cell(html, row[k], table.columns[k], room, k == 0 ? under : std::string());
    }
    html.raw("</tr>\n");
  }
  html.raw("</tbody></table></div>\n");
}

void add_section(Html& html, const Section& section) {
  html.add(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n{2}<h2 id=\"{0}-title\">{1}</h2>{3}\n",
      section.key, escaped(section.title), section.folded ? "<details><summary>" : "",
      section.folded ? "</summary>" : "");
  if (!section.note.empty()) html.add("<p class=\"soft\">{}</p>\n", escaped(section.note));
  if (!section.preformatted.empty()) html.add("<pre>{}</pre>\n", escaped(section.preformatted));
  add_fields(html, section.fields, "fields");
  add_plots(html, section.plots);
  for (const Table& table : section.tables) add_table(html, table);
  html.raw(section.folded ? "</details></section>\n" : "</section>\n");
}

void add_warnings(Html& html, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  html.raw("<section class=\"warnings\" id=\"warnings\"><h2>Warnings</h2>\n<ul>\n");
  for (const std::string& warning : warnings) html.add("<li>{}</li>\n", escaped(warning));
  html.raw("</ul></section>\n");
}

void add_header(Html& html, const Page& page) {
  html.add("<header>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n<p>", escaped(page.title),
           escaped(page.subtitle));
  for (const std::string& word : page.badges) html.raw(badge(word) + " ");
  html.raw("</p>\n");
  add_fields(html, page.highlights, "tiles");
  html.raw("<nav aria-label=\"Sections\">");
  // Link only the first folded section: folded sections are short and stand together at the end.
  bool is_folded = false;
  for (const Section& section : page.sections) {
    if (is_folded && section.folded) continue;
    is_folded = section.folded;
    html.add("<a href=\"#{}\">{}</a>\n", section.key, escaped(section.title));
  }
  html.raw("</nav>\n</header>\n");
}

}  // namespace

std::string report_html(const Page& page) {
  Html html;
  html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  html.add("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", kPolicy);
  html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  html.add("<title>virnucpro: {}</title>\n<style>{}</style>\n</head>\n<body>\n",
           escaped(page.title), plot_style() + std::string(kPageStyle));
  add_header(html, page);
  html.raw("<main>\n");
  add_warnings(html, page.warnings);
  for (const Section& section : page.sections) add_section(html, section);
  html.add("</main>\n<footer><p>{}</p></footer>\n<script>{}</script>\n</body>\n</html>\n",
           escaped(page.subtitle), kPageScript);
  return html.finish();
}

}  // namespace virnucpro
