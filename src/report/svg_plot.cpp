#include "report/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/text.hpp"

namespace virnucpro {
namespace {

// Lengths are in units of the drawing, about a pixel each at the usual width.
constexpr double kWidth = 420;
constexpr double kHeight = 230;
constexpr double kLeft = 54;
constexpr double kRight = 12;
constexpr double kTop = 12;
constexpr double kBottom = 40;
constexpr double kRowHeight = 24;
constexpr double kRowName = 118;
constexpr double kRowValue = 86;
constexpr double kLetter = 6.2;  // a letter's width, about
constexpr std::size_t kMostBarTicks = 7;
constexpr double kCellWidth = 96;
constexpr double kCellHeight = 40;
constexpr double kCellHead = 38;  // for the columns' names and their label
// The opacity of a cell's colour: its text must be readable on light and dark pages.
constexpr double kFaintest = 0.04;
constexpr double kStrongest = 0.46;
constexpr int kTicks = 4;
constexpr double kSmallest = 1e-12;  // smaller values are drawn as 0

// The smallest number of the form 1, 2 or 5 times a power of ten that is at least `value`.
double nice_above(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= value * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

// From 0 to `end`, in steps of a round number.
struct Axis {
  double step = 1;
  double end = 1;
};

Axis axis_to(double most) {
  if (most < kSmallest) return {};
  const double step = nice_above(most / kTicks);
  return {step, step * std::ceil(most / step * (1 - 1e-9))};
}

// The unit of a time axis that ends at `from` seconds or later.
struct TimeUnit {
  double from;
  double seconds;
  const char* name;
};
constexpr std::array<TimeUnit, 3> kTimeUnits{{{7200, 3600, "h"}, {180, 60, "min"}, {0, 1, "s"}}};
constexpr TimeUnit kPlainNumber{0, 1, ""};

TimeUnit time_unit(double most) {
  return *std::find_if(kTimeUnits.begin(), kTimeUnits.end() - 1,
                       [most](const TimeUnit& unit) { return most >= unit.from; });
}

bool is_finite(const PlotPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

class Drawing {
 public:
  Drawing(const Plot& plot, double height) { begin(plot, kWidth, height, ""); }
  // `more`: attributes.
  Drawing(const Plot& plot, double width, double height, std::string_view more) {
    begin(plot, width, height, more);
  }

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void label(double x, double y, std::string_view anchor, std::string_view text) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
        escaped(text));
  }

  std::string finish() { return text_ + "</svg>\n"; }

 private:
  void begin(const Plot& plot, double width, double height, std::string_view more) {
    add("<svg class=\"plot\"{} viewBox=\"0 0 {} {}\" role=\"img\" xmlns=\"{}\">", more, width,
        height, "http://www.w3.org/2000/svg");
    add("<title>{}</title><desc>{}</desc>", escaped(plot.title), escaped(plot_words(plot)));
  }

  std::string text_;
};

double y_of(double value, const Axis& axis) {
  return kHeight - kBottom - value / axis.end * (kHeight - kTop - kBottom);
}

void draw_y_axis(Drawing& drawing, const Plot& plot, const Axis& axis) {
  for (int k = 0; k * axis.step <= axis.end * (1 + 1e-9); ++k) {
    const double value = k * axis.step;
    const double y = y_of(value, axis);
    drawing.add("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>", kLeft, y, kWidth - kRight);
    drawing.label(kLeft - 6, y + 4, "end", axis_text(value, plot.unit));
  }
}

void draw_x_label(Drawing& drawing, const std::string& text) {
  drawing.label((kLeft + kWidth - kRight) / 2, kHeight - 6, "middle", text);
}

void draw_nothing(Drawing& drawing) {
  drawing.label(kWidth / 2, kHeight / 2, "middle", "not measured");
}

struct Extent {
  std::size_t points = 0;
  double x = 0;
  double y = 0;
};

Extent extent_of(const Plot& plot) {
  Extent extent;
  for (const PlotLine& line : plot.lines) {
    for (const PlotPoint& point : line.points) {
      if (!is_finite(point)) continue;
      ++extent.points;
      extent.x = std::max(extent.x, point.x);
      extent.y = std::max(extent.y, point.y);
    }
  }
  return extent;
}

void draw_x_axis(Drawing& drawing, const Plot& plot, double most) {
  const bool is_time = plot.kind == PlotKind::kOverTime;
  const TimeUnit unit = is_time ? time_unit(most) : kPlainNumber;
  const double step = nice_above(most / unit.seconds / 5);
  const double end = most / unit.seconds;
  for (int k = 0; k * step <= end * (1 + 1e-9); ++k) {
    const double x = kLeft + k * step / end * (kWidth - kLeft - kRight);
    drawing.label(x, kHeight - kBottom + 16, "middle", axis_text(k * step, Measure::kNone));
  }
  draw_x_label(drawing, is_time ? fmt::format("time ({})", unit.name) : plot.x_label);
}

void draw_line(Drawing& drawing, const PlotLine& line, std::size_t colour, double most,
               const Axis& axis) {
  std::string path;
  for (const PlotPoint& point : line.points) {
    if (!is_finite(point)) continue;
    const double x = kLeft + point.x / most * (kWidth - kLeft - kRight);
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x,
                   y_of(point.y, axis));
  }
  if (path.empty()) return;
  // "h0" makes a single point visible, as a round dot.
  drawing.add("<path class=\"line c{}\" d=\"{}h0\"><title>{}</title></path>",
              colour % kPlotColours + 1, path, escaped(line.name));
}

std::string draw_lines(const Plot& plot) {
  Drawing drawing(plot, kHeight);
  const Extent extent = extent_of(plot);
  if (extent.points == 0) {
    draw_nothing(drawing);
    return drawing.finish();
  }
  const Axis axis = axis_to(extent.y);
  const double most = extent.x < kSmallest ? 1 : extent.x;
  draw_y_axis(drawing, plot, axis);
  draw_x_axis(drawing, plot, most);
  for (std::size_t k = 0; k < plot.lines.size(); ++k) {
    draw_line(drawing, plot.lines[k], k, most, axis);
  }
  return drawing.finish();
}

double largest_bar(const Plot& plot) {
  double most = 0;
  for (const PlotBar& bar : plot.bars) {
    if (std::isfinite(bar.value)) most = std::max(most, bar.value);
  }
  return most;
}

std::string bar_title(const Plot& plot, const PlotBar& bar) {
  return escaped(fmt::format("{}: {}", bar.name, value_text(bar.value, plot.unit)));
}

std::string draw_bars(const Plot& plot) {
  Drawing drawing(plot, kHeight);
  if (plot.bars.empty()) {
    draw_nothing(drawing);
    return drawing.finish();
  }
  const Axis axis = axis_to(largest_bar(plot));
  draw_y_axis(drawing, plot, axis);
  const double width = (kWidth - kLeft - kRight) / static_cast<double>(plot.bars.size());
  const std::size_t every = (plot.bars.size() + kMostBarTicks - 1) / kMostBarTicks;
  for (std::size_t k = 0; k < plot.bars.size(); ++k) {
    const PlotBar& bar = plot.bars[k];
    const double x = kLeft + static_cast<double>(k) * width;
    const double y = y_of(std::isfinite(bar.value) ? bar.value : 0, axis);
    drawing.add(
        "<rect class=\"bar c1\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\">",
        x + width * 0.08, y, width * 0.84, kHeight - kBottom - y);
    drawing.add("<title>{}</title></rect>", bar_title(plot, bar));
    if (k % every == 0) {
      drawing.label(x + width / 2, kHeight - kBottom + 16, "middle", bar.tick);
    }
  }
  draw_x_label(drawing, plot.x_label);
  return drawing.finish();
}

// Cuts a name that does not fit; the bar's title has the full name. `columns`: in letters.
std::string cut_name(const std::string& name, std::size_t columns) {
  const std::string_view cut = first_letters(name, columns);
  return cut.size() == name.size() ? name : std::string(cut) + "…";
}

std::string draw_rows(const Plot& plot) {
  const double height =
      kRowHeight * static_cast<double>(std::max<std::size_t>(plot.bars.size(), 1));
  Drawing drawing(plot, height + kTop);
  const double most = largest_bar(plot);
  const double room = kWidth - kRowName - kRowValue;
  for (std::size_t k = 0; k < plot.bars.size(); ++k) {
    const PlotBar& bar = plot.bars[k];
    const double y = kTop / 2 + kRowHeight * static_cast<double>(k);
    const double value = std::isfinite(bar.value) ? bar.value : 0;
    const double width = std::max(most < kSmallest ? 0 : value / most * room, 1.0);
    drawing.label(kRowName - 8, y + 16, "end",
                  cut_name(bar.tick, static_cast<std::size_t>(kRowName / kLetter)));
    drawing.add("<rect class=\"bar c1\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\">",
                kRowName, y + 3, width, kRowHeight - 6);
    drawing.add("<title>{}</title></rect>", bar_title(plot, bar));
    drawing.label(kRowName + width + 6, y + 16, "start", value_text(bar.value, plot.unit));
  }
  return drawing.finish();
}

// Stretched to any width, so it has no text: its page writes that below.
constexpr double kContigWidth = 1000;
constexpr double kContigHeight = 40;
constexpr int kScoreColours = 5;
constexpr double kLeastBar = 2;

struct ContigPaths {
  std::array<std::string, kScoreColours> bars;
  std::string unscored;
};

ContigPaths contig_paths(const std::vector<MapStretch>& stretches) {
  ContigPaths paths;
  const double scale = kContigWidth / static_cast<double>(stretches.back().end);
  for (const MapStretch& stretch : stretches) {
    const double x = scale * static_cast<double>(stretch.begin);
    const double width = scale * static_cast<double>(stretch.end) - x;
    if (!stretch.score) {
      paths.unscored += fmt::format("M{:.1f} {}h{:.1f}", x, kContigHeight / 2, width);
      continue;
    }
    const double score = std::clamp(*stretch.score, 0.0, 1.0);
    const double height = std::max(score * kContigHeight, kLeastBar);
    const auto colour = static_cast<std::size_t>(std::min(score * kScoreColours, 4.0));
    paths.bars.at(colour) +=
        fmt::format("M{:.1f} {}v-{:.1f}h{:.1f}v{:.1f}z", x, kContigHeight, height, width, height);
  }
  return paths;
}

std::string draw_contig(const Plot& plot) {
  Drawing drawing(plot, kContigWidth, kContigHeight, " preserveAspectRatio=\"none\"");
  if (plot.stretches.empty() || plot.stretches.back().end == 0) return drawing.finish();
  const ContigPaths paths = contig_paths(plot.stretches);
  for (std::size_t k = 0; k < paths.bars.size(); ++k) {
    if (paths.bars[k].empty()) continue;
    drawing.add("<path class=\"s{}\" d=\"{}\"/>", k + 1, paths.bars[k]);
  }
  // A thick line of short dashes: stripes.
  if (!paths.unscored.empty()) {
    drawing.add("<path class=\"unscored\" d=\"{}\"/>", paths.unscored);
  }
  drawing.add("<path class=\"half\" d=\"M0 {}H{}\"/>", kContigHeight / 2, kContigWidth);
  return drawing.finish();
}

// Of a contig with many stretches the words are about shares.
std::string contig_words(const std::vector<MapStretch>& stretches) {
  constexpr std::size_t kMostTold = 12;
  if (stretches.empty()) return "not measured";
  if (stretches.size() <= kMostTold) {
    std::vector<std::string> words;
    for (const MapStretch& stretch : stretches) {
      words.push_back(fmt::format(
          "{} to {}: {}", grouped(stretch.begin + 1), grouped(stretch.end),
          stretch.score ? fmt::format("{:.2f}", *stretch.score) : std::string("unscored")));
    }
    return fmt::format("virus score by base: {}", fmt::join(words, "; "));
  }
  double high = 0;
  double unscored = 0;
  for (const MapStretch& stretch : stretches) {
    const auto bases = static_cast<double>(stretch.end - stretch.begin);
    if (!stretch.score) unscored += bases;
    if (stretch.score >= 0.5) high += bases;
  }
  const auto all = static_cast<double>(stretches.back().end);
  return fmt::format("{} of its bases have a virus score from 0.5 on, {} are unscored",
                     value_text(high / all, Measure::kShare),
                     value_text(unscored / all, Measure::kShare));
}

std::string heat_map_words(const Plot& plot) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < plot.map.cells.size(); ++k) {
    const HeatCell& cell = plot.map.cells[k];
    if (cell.mark != HeatMark::kChosen) continue;
    const std::size_t columns = plot.map.columns.size();
    words.push_back(
        fmt::format("chosen: {} {}, {} {}: {}", plot.map.row_label, plot.map.rows.at(k / columns),
                    plot.x_label, plot.map.columns.at(k % columns),
                    cell.value ? value_text(*cell.value, plot.unit) : std::string("not measured")));
  }
  return words.empty() ? "nothing is chosen" : fmt::format("{}", fmt::join(words, "; "));
}

std::string line_words(const PlotLine& line, Measure unit) {
  std::vector<double> measured;
  for (const PlotPoint& point : line.points) {
    if (is_finite(point)) measured.push_back(point.y);
  }
  if (measured.empty()) return fmt::format("{}: not measured", line.name);
  const auto [least, most] = std::ranges::minmax(measured);
  return fmt::format("{}: from {} to {}", line.name, value_text(least, unit),
                     value_text(most, unit));
}

std::string_view css_class(HeatMark mark) {
  if (mark == HeatMark::kChosen) return "cell chosen";
  return mark == HeatMark::kLeftOut ? "cell left-out" : "cell";
}

void draw_cell(Drawing& drawing, const HeatCell& cell, double x, double y, const Plot& plot,
               const std::string& name) {
  const bool measured = cell.value && std::isfinite(*cell.value);
  const std::string text = measured ? value_text(*cell.value, plot.unit) : "–";
  const double heat = measured ? std::clamp(cell.heat, 0.0, 1.0) : 0;
  drawing.add("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
              css_class(cell.mark), x + 2, y + 2, kCellWidth - 4, kCellHeight - 4);
  drawing.add(
      " fill-opacity=\"{:.2f}\"><title>{}</title></rect>", std::lerp(kFaintest, kStrongest, heat),
      escaped(fmt::format("{}: {}{}{}", name, text, cell.note.empty() ? "" : ", ", cell.note)));
  const double middle = x + kCellWidth / 2;
  drawing.add("<text class=\"value\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", middle,
              y + (cell.note.empty() ? 24 : 18), escaped(text));
  if (!cell.note.empty()) {
    drawing.add("<text class=\"value\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", middle,
                y + 32, escaped(cell.note));
  }
}

std::string draw_heat_map(const Plot& plot) {
  const HeatMap& map = plot.map;
  if (map.cells.empty()) {
    Drawing nothing(plot, kHeight);
    draw_nothing(nothing);
    return nothing.finish();
  }
  const double width = kLeft + kCellWidth * static_cast<double>(map.columns.size()) + kRight;
  Drawing drawing(plot, width, kCellHead + kCellHeight * static_cast<double>(map.rows.size()) + 2,
                  fmt::format(" style=\"width:{}px;max-width:none\"", width));  // a fixed size
  drawing.label(kLeft - 6, kCellHead - 8, "end", map.row_label);
  drawing.label((kLeft + width - kRight) / 2, 13, "middle", plot.x_label);
  for (std::size_t column = 0; column < map.columns.size(); ++column) {
    drawing.label(kLeft + kCellWidth * (static_cast<double>(column) + 0.5), kCellHead - 8, "middle",
                  map.columns[column]);
  }
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    const double y = kCellHead + kCellHeight * static_cast<double>(row);
    drawing.label(kLeft - 6, y + kCellHeight / 2 + 4, "end", map.rows[row]);
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      draw_cell(drawing, map.cells.at(row * map.columns.size() + column),
                kLeft + kCellWidth * static_cast<double>(column), y, plot,
                fmt::format("{} {}, {} {}", map.row_label, map.rows[row], plot.x_label,
                            map.columns[column]));
    }
  }
  return drawing.finish();
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : printable_lines(text)) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

std::string plot_words(const Plot& plot) {
  if (plot.kind == PlotKind::kContig) return contig_words(plot.stretches);
  if (plot.kind == PlotKind::kHeatMap) return heat_map_words(plot);
  std::vector<std::string> words;
  for (const PlotBar& bar : plot.bars) {
    words.push_back(fmt::format("{}: {}", bar.name, value_text(bar.value, plot.unit)));
  }
  for (const PlotLine& line : plot.lines) words.push_back(line_words(line, plot.unit));
  return words.empty() ? "not measured" : fmt::format("{}", fmt::join(words, "; "));
}

std::string svg_plot(const Plot& plot) {
  if (plot.kind == PlotKind::kContig) return draw_contig(plot);
  if (plot.kind == PlotKind::kBars) return draw_bars(plot);
  if (plot.kind == PlotKind::kRows) return draw_rows(plot);
  if (plot.kind == PlotKind::kHeatMap) return draw_heat_map(plot);
  return draw_lines(plot);
}

}  // namespace virnucpro
