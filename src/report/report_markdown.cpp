#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text.hpp"
#include "report/page_writers.hpp"

namespace virnucpro {
namespace {

constexpr std::array<const char*, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t kStripLength = 48;

bool ends_with_www(std::string_view text) {
  if (text.size() < 3) return false;
  text.remove_prefix(text.size() - 3);
  return std::all_of(text.begin(), text.end(), [](char letter) { return (letter | 0x20) == 'w'; });
}

// Escapes a text from a file, so that the text cannot become markup or a link, nor end its line or
// its table's cell. Many programs show even a plain address as a link.
std::string plain(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_{}[]<>#|~&!@";
  const std::string shown = printable(text);
  std::string result;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view rest = std::string_view(shown).substr(i);
    const bool begins_link =
        rest.starts_with("://") || (rest.front() == '.' && ends_with_www(result));
    if (begins_link || kMarks.find(rest.front()) != std::string_view::npos) result += '\\';
    result += rest.front();
  }
  return result;
}

std::string row_text(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string head_text(const std::vector<std::string>& names) {
  return row_text(names) + row_text(std::vector<std::string>(names.size(), "---"));
}

std::string fields_text(const std::vector<Field>& fields) {
  if (fields.empty()) return {};
  std::string text = head_text({"what", "value"});
  for (const Field& field : fields) {
    text += row_text({plain(field.label), plain(value_text(field.value, field.unit))});
  }
  return text + "\n";
}

std::string table_text(const Table& table) {
  std::vector<std::string> cells;
  for (const Column& column : table.columns) cells.push_back(plain(column.label));
  std::string text = fmt::format("**{}**\n\n", plain(table.caption)) + head_text(cells);
  for (const std::vector<Value>& row : table.rows) {
    cells.clear();
    for (std::size_t k = 0; k < row.size(); ++k) {
      cells.push_back(plain(cell_text(row[k], table.columns[k])));
    }
    text += row_text(cells);
  }
  return text + "\n";
}

// Returns a chart of block characters. Each shows the largest value of some neighbouring points,
// relative to `most`.
std::string strip(const std::vector<PlotPoint>& points, double most) {
  const std::size_t stretch =
      std::max<std::size_t>(1, (points.size() + kStripLength - 1) / kStripLength);
  std::string text;
  for (std::size_t begin = 0; begin < points.size(); begin += stretch) {
    const std::size_t end = std::min(begin + stretch, points.size());
    double highest = 0;
    for (std::size_t k = begin; k < end; ++k) highest = std::max(highest, points[k].y);
    const double level = most > 0 ? highest / most * (kBlocks.size() - 1) : 0;
    text += kBlocks[static_cast<std::size_t>(std::lround(level))];
  }
  return text;
}

std::vector<std::string> line_cells(const PlotLine& line, Measure unit) {
  if (line.points.empty()) return {plain(line.name), "not measured", "", "", ""};
  double least = line.points.front().y;
  double most = least;
  double sum = 0;
  for (const PlotPoint& point : line.points) {
    least = std::min(least, point.y);
    most = std::max(most, point.y);
    sum += point.y;
  }
  return {plain(line.name), value_text(least, unit),
          value_text(sum / static_cast<double>(line.points.size()), unit), value_text(most, unit),
          strip(line.points, most)};
}

std::string cell_text(const HeatCell& cell, Measure unit) {
  std::string text = cell.value ? plain(value_text(*cell.value, unit)) : "–";
  if (!cell.note.empty()) text += fmt::format(" ({})", plain(cell.note));
  return cell.mark == HeatMark::kChosen ? "**" + text + "**" : text;
}

std::string heat_map_text(const Plot& plot) {
  const HeatMap& map = plot.map;
  std::vector<std::string> cells{
      fmt::format("{} by {}", plain(map.row_label), plain(plot.x_label))};
  for (const std::string& column : map.columns) cells.push_back(plain(column));
  std::string text = head_text(cells);
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    cells = {plain(map.rows[row])};
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      cells.push_back(cell_text(map.cells.at(row * map.columns.size() + column), plot.unit));
    }
    text += row_text(cells);
  }
  return text;
}

// Returns a chart of kStripLength block characters. Each shows the score at the middle of its
// stretch of the contig; a dot means no score.
std::string contig_strip(const std::vector<MapStretch>& stretches) {
  std::string text;
  auto at = stretches.begin();
  for (std::size_t k = 0; k < kStripLength && !stretches.empty(); ++k) {
    const double middle = (static_cast<double>(k) + 0.5) / static_cast<double>(kStripLength) *
                          static_cast<double>(stretches.back().end);
    while (at + 1 != stretches.end() && static_cast<double>(at->end) <= middle) ++at;
    const double level = std::clamp(at->score.value_or(0), 0.0, 1.0) * (kBlocks.size() - 1);
    text += at->score ? kBlocks[static_cast<std::size_t>(std::lround(level))] : "·";
  }
  return text;
}

std::string plot_text(const Plot& plot) {
  if (plot.kind == PlotKind::kContig) {
    return fmt::format("**{}** {}\n\n{}\n\n", plain(plot.title), plain(plot.y_label),
                       contig_strip(plot.stretches));
  }
  std::string text = fmt::format("**{}** {}\n\n", plain(plot.title), plain(plot.y_label));
  if (plot.kind == PlotKind::kHeatMap) return text + heat_map_text(plot) + "\n";
  const bool has_bars = plot.kind == PlotKind::kBars || plot.kind == PlotKind::kRows;
  text += has_bars ? head_text({plot.x_label.empty() ? "what" : plain(plot.x_label), "value"})
                   : head_text({"what", "least", "average", "largest", "course"});
  for (const PlotBar& bar : plot.bars) {
    text += row_text({plain(bar.name), value_text(bar.value, plot.unit)});
  }
  for (const PlotLine& line : plot.lines) text += row_text(line_cells(line, plot.unit));
  return text + "\n";
}

std::string section_text(const Section& section) {
  std::string text = fmt::format("## {}\n\n", plain(section.title));
  if (!section.note.empty()) text += plain(section.note) + "\n\n";
  // Four blanks make the text a code block, in which no character is markup.
  if (!section.preformatted.empty())
    text += fmt::format("    {}\n\n", printable(section.preformatted));
  text += fields_text(section.fields);
  for (const Plot& plot : section.plots) text += plot_text(plot);
  for (const Table& table : section.tables) text += table_text(table);
  return text;
}

}  // namespace

std::string report_markdown(const Page& page) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}\n\n", plain(page.title), plain(page.subtitle),
                                 plain(fmt::format("{}", fmt::join(page.badges, ", "))));
  text += fields_text(page.highlights);
  if (!page.warnings.empty()) text += "## Warnings\n\n";
  for (const std::string& warning : page.warnings) text += fmt::format("- {}\n", plain(warning));
  if (!page.warnings.empty()) text += "\n";
  for (const Section& section : page.sections) text += section_text(section);
  return text;
}

}  // namespace virnucpro
