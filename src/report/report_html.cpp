#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/text.hpp"
#include "report/page_style.hpp"
#include "report/page_writers.hpp"
#include "report/svg_plot.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kWideText =
    24;  // letters; from here on a cell wraps, and must not become narrow

constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'";

struct BadgeColour {
  std::string_view word;
  std::string_view colour;
};
constexpr std::array kBadgeColours{
    BadgeColour{"PASS", "good"},  BadgeColour{"WARN", "warn"},
    BadgeColour{"MISS", "bad"},   BadgeColour{"finished", "good"},
    BadgeColour{"virus", "bad"},  BadgeColour{"partial", "warn"},
    BadgeColour{"failed", "bad"}, BadgeColour{"synthetic weights", "warn"},
    BadgeColour{"read", "good"},
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
  const auto found = std::find_if(kBadgeColours.begin(), kBadgeColours.end(),
                                  [&word](const BadgeColour& known) { return known.word == word; });
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

void add_legend(Html& html, const Plot& plot) {
  if (plot.lines.size() < 2) return;
  html.raw("<ul class=\"legend\">");
  for (std::size_t k = 0; k < plot.lines.size(); ++k) {
    html.add("<li class=\"c{}\"><i></i>{}</li>", k % kPlotColours + 1, escaped(plot.lines[k].name));
  }
  html.raw("</ul>\n");
}

// What is wider than its place scrolls there, also by keys.
std::string scroller(std::string_view style, std::string_view name) {
  return fmt::format("<div class=\"{}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">", style,
                     escaped(name));
}

constexpr std::string_view kContigLegend =
    "<ul class=\"legend contigs\"><li class=\"s1\"><i></i>up to 0.2</li><li class=\"s2\"><i></i>0.4"
    "</li><li class=\"s3\"><i></i>0.6</li><li class=\"s4\"><i></i>0.8</li><li class=\"s5\"><i></i>1"
    "</li><li class=\"unscored\"><i></i>unscored</li></ul>\n";

// The first and last base below a contig, as its drawing has no text.
void add_ends(Html& html, const Plot& plot) {
  if (plot.stretches.empty()) return;
  html.add("<p class=\"ends\"><span>1</span><span>{}</span></p>\n",
           grouped(plot.stretches.back().end));
}

void add_plots(Html& html, const std::vector<Plot>& plots) {
  if (plots.empty()) return;
  const bool are_contigs = plots.front().kind == PlotKind::kContig;
  if (are_contigs) html.raw(kContigLegend);
  html.add("<div class=\"{}\">\n", are_contigs ? "plots contigs" : "plots");
  for (const Plot& plot : plots) {
    html.add("<figure><figcaption>{} <span>{}</span></figcaption>\n", escaped(plot.title),
             escaped(plot.y_label));
    const bool may_be_wide = plot.kind == PlotKind::kHeatMap;
    if (may_be_wide) html.raw(scroller("wide-plot", plot.title) + "\n");
    html.raw(svg_plot(plot));
    if (may_be_wide) html.raw("</div>\n");
    if (are_contigs) add_ends(html, plot);
    add_legend(html, plot);
    html.raw("</figure>\n");
  }
  html.raw("</div>\n");
}

std::string sort_value(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *count);
  return "-1";  // sorts unmeasured values before all others
}

void add_cell(Html& html, const Value& value, Measure unit) {
  const std::string text = value_text(value, unit);
  if (unit == Measure::kStatus && std::holds_alternative<std::string>(value)) {
    html.add("<td>{}</td>", badge(text));
  } else if (is_number(unit)) {
    html.add("<td class=\"number\" data-value=\"{}\">{}</td>", sort_value(value), escaped(text));
  } else if (std::holds_alternative<std::monostate>(value)) {
    html.raw("<td class=\"none\">–</td>");
  } else {
    html.add("<td{}>{}</td>", text.size() >= kWideText ? " class=\"wide\"" : "", escaped(text));
  }
}

void add_table(Html& html, const Table& table) {
  html.raw(scroller(table.can_be_filtered ? "table long" : "table", table.caption));
  html.add("<table{}>\n<caption><span>{}</span></caption>\n<thead><tr>",
           table.can_be_filtered ? " data-filter" : "", escaped(table.caption));
  for (const Column& column : table.columns) {
    html.add("<th scope=\"col\"{}>{}</th>", is_number(column.unit) ? " class=\"number\"" : "",
             escaped(column.label));
  }
  html.raw("</tr></thead>\n<tbody>\n");
  for (const std::vector<Value>& row : table.rows) {
    html.raw("<tr>");
    for (std::size_t k = 0; k < row.size(); ++k) add_cell(html, row[k], table.columns[k].unit);
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
  // Folded sections are short, and follow each other at the end: the first is link enough.
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
           escaped(page.title), kPageStyle);
  add_header(html, page);
  html.raw("<main>\n");
  add_warnings(html, page.warnings);
  for (const Section& section : page.sections) add_section(html, section);
  html.add("</main>\n<footer><p>{}</p></footer>\n<script>{}</script>\n</body>\n</html>\n",
           escaped(page.subtitle), kPageScript);
  return html.finish();
}

}  // namespace virnucpro
