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
constexpr double kLeft = 66;
constexpr double kRight = 12;
constexpr double kAcross = kWidth - kLeft - kRight;
constexpr double kTop = 18;
constexpr double kBottom = 40;
constexpr double kTextLine = 16;  // height of a line of text
constexpr double kRowHeight = 24;
constexpr double kRowBar = 200;  // least width of the longest bar
constexpr double kRowValue = 86;
constexpr std::size_t kLongestTick = 50;  // letters
constexpr double kLetter = 6.2;           // a letter's approximate width
constexpr std::size_t kMostBarTicks = 7;
constexpr double kMapLeft = 54;
constexpr double kCellWidth = 96;
constexpr double kCellHeight = 40;
constexpr double kCellHead = 38;  // height of the columns' names and of their label
// The limits of a cell's opacity. Between them, the cell's text is readable on light and dark
// pages.
constexpr double kFaintest = 0.04;
constexpr double kStrongest = 0.46;
constexpr int kTicks = 4;
constexpr double kSmallest = 1e-12;  // smaller values are drawn as 0

constexpr std::string_view kInk = kPlotColours[0].value;
constexpr std::string_view kSoft = kPlotColours[1].value;
constexpr std::string_view kGrid = kPlotColours[2].value;
constexpr std::size_t kLineColours = 6;
constexpr std::size_t kScoreColours = 5;
constexpr std::size_t kFirstLine = 3;

std::string_view line_colour(std::size_t line) {
  return kPlotColours[kFirstLine + line % kLineColours].value;
}
// Returns the attribute for a line's dashes. There are six colours; from the seventh line on, lines
// of the same colour differ in their dashes.
std::string line_dashes(std::size_t line) {
  const std::size_t round = line / kLineColours;
  return round == 0 ? "" : fmt::format(" stroke-dasharray=\"{} 4\"", 3 * round);
}
std::string_view score_colour(std::size_t fifth) {
  return kPlotColours[kFirstLine + kLineColours + fifth].value;
}

// Escapes a text as a browser's XMLSerializer does. With `has_quotes`, quotes stay as they are.
std::string escaped_text(std::string_view text, bool has_quotes = true) {
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
        result += has_quotes ? "\"" : "&quot;";
        break;
      case '\'':
        result += has_quotes ? "'" : "&#39;";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

// Returns the smallest number of the form 1, 2 or 5 times a power of ten that is not below `value`.
double nice_above(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= value * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

// An axis from 0 to `end`, in steps of a round number.
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
  Drawing(const Plot& plot, double width, double height) {
    add("{} role=\"img\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" ", kFigureStart, width,
        height, width, height);
    add("font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"11.5\" "
        "fill=\"{}\"><title>{}</title><desc>{}</desc>",
        kSoft, escaped_text(plot.title), escaped_text(plot_words(plot)));
    add("<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>", kFigurePaper);
  }

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void label(double x, double y, std::string_view anchor, std::string_view text) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
        escaped_text(text));
  }

  // Writes a text upwards beside a vertical axis, centred at the height `y`.
  void upright_label(double y, std::string_view text) {
    add("<text transform=\"translate(13 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>", y,
        escaped_text(text));
  }

  // Draws a mark below a horizontal axis at the height `y`, with its text.
  void tick(double x, double y, std::string_view text) {
    add("<path d=\"M{:.1f} {:.1f}v4\" stroke=\"{}\"/>", x, y, kSoft);
    label(x, y + kTextLine, "middle", text);
  }

  std::string finish() { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

// Cuts a name to a number of letters. A <title> element has the full name.
std::string cut_name(const std::string& name, std::size_t letters) {
  const std::string_view cut = first_letters(name, letters);
  return cut.size() == name.size() ? name : std::string(cut) + "…";
}

double y_of(double value, const Axis& axis) {
  return kHeight - kBottom - value / axis.end * (kHeight - kTop - kBottom);
}

void draw_y_axis(Drawing& drawing, const Plot& plot, const Axis& axis) {
  for (int k = 0; k * axis.step <= axis.end * (1 + 1e-9); ++k) {
    const double value = k * axis.step;
    const double y = y_of(value, axis);
    drawing.add("<path d=\"M{} {:.1f}H{}\" stroke=\"{}\"/>", kLeft, y, kWidth - kRight,
                k == 0 ? kSoft : kGrid);
    drawing.label(kLeft - 6, y + 4, "end", axis_text(value, plot.unit));
  }
  drawing.upright_label((kTop + kHeight - kBottom) / 2, plot.y_label);
}

void draw_x_label(Drawing& drawing, const std::string& text) {
  drawing.label(kLeft + kAcross / 2, kHeight - 6, "middle", text);
}

std::string draw_nothing(Drawing& drawing) {
  drawing.label(kWidth / 2, kHeight / 2, "middle", "not measured");
  return drawing.finish();
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

// Draws the ticks of a horizontal axis from 0 to `most`, at the height `y`.
void draw_ticks(Drawing& drawing, double most, double y) {
  const double step = nice_above(most / 5);
  for (int k = 0; k * step <= most * (1 + 1e-9); ++k) {
    drawing.tick(kLeft + k * step / most * kAcross, y, axis_text(k * step, Measure::kNone));
  }
}

void draw_x_axis(Drawing& drawing, const Plot& plot, double most) {
  const bool is_time = plot.kind == PlotKind::kOverTime;
  const TimeUnit unit = is_time ? time_unit(most) : kPlainNumber;
  draw_ticks(drawing, most / unit.seconds, kHeight - kBottom);
  draw_x_label(drawing, is_time ? fmt::format("time ({})", unit.name) : plot.x_label);
}

// Draws the names below a plot of several lines.
void draw_legend(Drawing& drawing, const std::vector<PlotLine>& lines) {
  for (std::size_t k = 0; lines.size() > 1 && k < lines.size(); ++k) {
    const double y = kHeight + kTextLine * static_cast<double>(k);
    drawing.add("<path d=\"M{} {}h14\" stroke=\"{}\"{} stroke-width=\"3\"/>", kLeft, y + 8,
                line_colour(k), line_dashes(k));
    drawing.label(kLeft + 20, y + 12, "start", cut_name(lines[k].name, kLongestTick));
  }
}

void draw_line(Drawing& drawing, const PlotLine& line, std::size_t colour, double most,
               const Axis& axis) {
  std::string path;
  for (const PlotPoint& point : line.points) {
    if (!is_finite(point)) continue;
    const double x = kLeft + point.x / most * kAcross;
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x,
                   y_of(point.y, axis));
  }
  if (path.empty()) return;
  // "h0" makes a single point visible, as a round dot.
  drawing.add(
      "<path fill=\"none\" stroke=\"{}\"{} stroke-width=\"2\" stroke-linejoin=\"round\" "
      "stroke-linecap=\"round\" d=\"{}h0\"><title>{}</title></path>",
      line_colour(colour), line_dashes(colour), path, escaped_text(line.name));
}

std::string draw_lines(const Plot& plot) {
  const double legend =
      plot.lines.size() > 1 ? kTextLine * static_cast<double>(plot.lines.size()) + 4 : 0;
  Drawing drawing(plot, kWidth, kHeight + legend);
  const Extent extent = extent_of(plot);
  if (extent.points == 0) return draw_nothing(drawing);
  const Axis axis = axis_to(extent.y);
  double most = extent.x < kSmallest ? 1 : extent.x;
  // End the axis at a round number: an axis of scores ends at 1, above the last bin's middle.
  if (plot.kind == PlotKind::kOverNumber) most = axis_to(most).end;
  draw_y_axis(drawing, plot, axis);
  draw_x_axis(drawing, plot, most);
  for (std::size_t k = 0; k < plot.lines.size(); ++k) {
    draw_line(drawing, plot.lines[k], k, most, axis);
  }
  draw_legend(drawing, plot.lines);
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
  return escaped_text(fmt::format("{}: {}", bar.name, value_text(bar.value, plot.unit)));
}

// Draws the cut-off as a dashed vertical line, with its number above the line.
void draw_cut_off(Drawing& drawing, double cut_off) {
  const double x = kLeft + cut_off * kAcross;
  drawing.add(
      "<path d=\"M{:.1f} {}V{}\" stroke=\"{}\" stroke-width=\"1.5\" "
      "stroke-dasharray=\"5 3\"/>",
      x, kTop - 4, kHeight - kBottom, kInk);
  drawing.label(std::min(x, kWidth - kRight - 34), kTop - 7, "middle",
                fmt::format("cut-off {:g}", cut_off));
}

std::string draw_bars(const Plot& plot) {
  Drawing drawing(plot, kWidth, kHeight);
  if (plot.bars.empty()) return draw_nothing(drawing);
  const Axis axis = axis_to(largest_bar(plot));
  draw_y_axis(drawing, plot, axis);
  const double width = kAcross / static_cast<double>(plot.bars.size());
  const bool are_bins = !plot.end_tick.empty();  // bins of a score have a tick at every 0.2
  const std::size_t every = are_bins ? std::max<std::size_t>(plot.bars.size() / 5, 1)
                                     : (plot.bars.size() + kMostBarTicks - 1) / kMostBarTicks;
  for (std::size_t k = 0; k < plot.bars.size(); ++k) {
    const PlotBar& bar = plot.bars[k];
    const double x = kLeft + static_cast<double>(k) * width;
    const double y = y_of(std::isfinite(bar.value) ? bar.value : 0, axis);
    drawing.add("<rect fill=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\">",
                line_colour(bar.colour), x + width * 0.08, y, width * 0.84, kHeight - kBottom - y);
    drawing.add("<title>{}</title></rect>", bar_title(plot, bar));
    if (k % every == 0) {
      drawing.tick(are_bins ? x : x + width / 2, kHeight - kBottom, bar.tick);
    }
  }
  if (are_bins) drawing.tick(kWidth - kRight, kHeight - kBottom, plot.end_tick);
  if (plot.cut_off) draw_cut_off(drawing, *plot.cut_off);
  draw_x_label(drawing, plot.x_label);
  return drawing.finish();
}

std::string draw_rows(const Plot& plot) {
  std::size_t letters = 0;
  for (const PlotBar& bar : plot.bars) letters = std::max(letters, count_letters(bar.tick));
  letters = std::min(letters, kLongestTick);
  const double name = kLetter * static_cast<double>(letters) + 16;
  const double width = std::max(kWidth, name + kRowBar + kRowValue);
  const double height =
      kRowHeight * static_cast<double>(std::max<std::size_t>(plot.bars.size(), 1));
  Drawing drawing(plot, width, height + 2 * kTextLine);
  const double most = largest_bar(plot);
  for (std::size_t k = 0; k < plot.bars.size(); ++k) {
    const PlotBar& bar = plot.bars[k];
    const double y = 6 + kRowHeight * static_cast<double>(k);
    const double value = std::isfinite(bar.value) ? bar.value : 0;
    const double length =
        std::max(most < kSmallest ? 0 : value / most * (width - name - kRowValue), 1.0);
    drawing.label(name - 8, y + 16, "end", cut_name(bar.tick, letters));
    drawing.add("<rect fill=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\">",
                line_colour(bar.colour), name, y + 3, length, kRowHeight - 6);
    drawing.add("<title>{}</title></rect>", bar_title(plot, bar));
    drawing.label(name + length + 6, y + 16, "start", value_text(bar.value, plot.unit));
  }
  drawing.label(name, height + kTextLine + 6, "start", plot.y_label);
  return drawing.finish();
}

constexpr double kContigHeight = 60;
constexpr double kContigTop = 8;
constexpr double kContigBase = kContigTop + kContigHeight;
constexpr double kLeastBar = 2;

struct ContigPaths {
  std::array<std::string, kScoreColours> bars;
  std::string unscored;
};

ContigPaths contig_paths(const std::vector<MapStretch>& stretches) {
  ContigPaths paths;
  const double scale = kAcross / static_cast<double>(stretches.back().end);
  for (const MapStretch& stretch : stretches) {
    const double x = kLeft + scale * static_cast<double>(stretch.begin);
    const double width = kLeft + scale * static_cast<double>(stretch.end) - x;
    if (!stretch.score) {
      paths.unscored += fmt::format("M{:.1f} {}h{:.1f}", x, kContigTop + kContigHeight / 2, width);
      continue;
    }
    const double score = std::clamp(*stretch.score, 0.0, 1.0);
    const double height = std::max(score * kContigHeight, kLeastBar);
    const auto colour = static_cast<std::size_t>(
        std::min(score * static_cast<double>(kScoreColours), kScoreColours - 1.0));
    paths.bars.at(colour) +=
        fmt::format("M{:.1f} {}v-{:.1f}h{:.1f}v{:.1f}z", x, kContigBase, height, width, height);
  }
  return paths;
}

void draw_contig_axes(Drawing& drawing, const Plot& plot) {
  for (const double score : {0.0, 0.5, 1.0}) {
    drawing.label(kLeft - 6, kContigBase - score * kContigHeight + 4, "end",
                  axis_text(score, Measure::kNone));
  }
  drawing.upright_label(kContigTop + kContigHeight / 2, "virus score");
  drawing.add("<path d=\"M{} {}V{}H{}\" fill=\"none\" stroke=\"{}\"/>", kLeft, kContigTop,
              kContigBase, kWidth - kRight, kSoft);
  draw_ticks(drawing, static_cast<double>(plot.stretches.back().end), kContigBase);
  const double middle = kLeft + kAcross / 2;
  drawing.label(middle, kContigBase + 2 * kTextLine, "middle",
                fmt::format("position on {} (bases)", cut_name(plot.title, 30)));
  drawing.label(middle, kContigBase + 3 * kTextLine, "middle",
                fmt::format("dashed: cut-off {:g}; striped: unscored", plot.cut_off.value_or(0.5)));
}

std::string draw_contig(const Plot& plot) {
  Drawing drawing(plot, kWidth, kContigBase + 3 * kTextLine + 8);
  if (plot.stretches.empty() || plot.stretches.back().end == 0) return drawing.finish();
  const ContigPaths paths = contig_paths(plot.stretches);
  for (std::size_t k = 0; k < paths.bars.size(); ++k) {
    if (paths.bars[k].empty()) continue;
    drawing.add("<path fill=\"{}\" d=\"{}\"/>", score_colour(k), paths.bars[k]);
  }
  // Draw unscored stretches as stripes, by a thick line of short dashes.
  if (!paths.unscored.empty()) {
    drawing.add(
        "<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
        "stroke-dasharray=\"1.5 4.5\" opacity=\"0.6\" d=\"{}\"/>",
        kSoft, kContigHeight, paths.unscored);
  }
  drawing.add("<path stroke=\"{}\" stroke-dasharray=\"6 5\" d=\"M{} {:.1f}H{}\"/>", kInk, kLeft,
              kContigBase - plot.cut_off.value_or(0.5) * kContigHeight, kWidth - kRight);
  draw_contig_axes(drawing, plot);
  return drawing.finish();
}

// Describes each stretch of a contig in words; if there are many, tells only the shares of bases.
std::string contig_words(const std::vector<MapStretch>& stretches) {
  constexpr std::size_t kMostInWords = 12;
  if (stretches.empty()) return "not measured";
  if (stretches.size() <= kMostInWords) {
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
  return fmt::format("{} of all bases have a virus score of 0.5 or more, {} are unscored",
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
  return words.empty() ? "no cell is marked as chosen" : fmt::format("{}", fmt::join(words, "; "));
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

std::string border_of(HeatMark mark) {
  if (mark == HeatMark::kChosen) return fmt::format("stroke=\"{}\" stroke-width=\"2.5\"", kInk);
  return mark == HeatMark::kLeftOut ? fmt::format("stroke=\"{}\" stroke-dasharray=\"3 3\"", kSoft)
                                    : fmt::format("stroke=\"{}\"", kGrid);
}

void draw_cell(Drawing& drawing, const HeatCell& cell, double x, double y, const Plot& plot,
               const std::string& name) {
  const bool measured = cell.value && std::isfinite(*cell.value);
  const std::string text = measured ? value_text(*cell.value, plot.unit) : "–";
  const double heat = measured ? std::clamp(cell.heat, 0.0, 1.0) : 0;
  drawing.add("<rect fill=\"{}\" {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", line_colour(0),
              border_of(cell.mark), x + 2, y + 2, kCellWidth - 4, kCellHeight - 4);
  drawing.add(" fill-opacity=\"{:.2f}\"><title>{}</title></rect>",
              std::lerp(kFaintest, kStrongest, heat),
              escaped_text(
                  fmt::format("{}: {}{}{}", name, text, cell.note.empty() ? "" : ", ", cell.note)));
  const double middle = x + kCellWidth / 2;
  const auto write = [&drawing, middle](double line, std::string_view words) {
    drawing.add("<text fill=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", kInk,
                middle, line, escaped_text(words));
  };
  write(y + (cell.note.empty() ? 24 : 18), text);
  if (!cell.note.empty()) write(y + 32, cell.note);
}

std::string draw_heat_map(const Plot& plot) {
  const HeatMap& map = plot.map;
  if (map.cells.empty()) {
    Drawing nothing(plot, kWidth, kHeight);
    return draw_nothing(nothing);
  }
  const double width = kMapLeft + kCellWidth * static_cast<double>(map.columns.size()) + kRight;
  Drawing drawing(plot, width, kCellHead + kCellHeight * static_cast<double>(map.rows.size()) + 2);
  drawing.label(kMapLeft - 6, kCellHead - 8, "end", map.row_label);
  drawing.label((kMapLeft + width - kRight) / 2, 13, "middle", plot.x_label);
  for (std::size_t column = 0; column < map.columns.size(); ++column) {
    drawing.label(kMapLeft + kCellWidth * (static_cast<double>(column) + 0.5), kCellHead - 8,
                  "middle", map.columns[column]);
  }
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    const double y = kCellHead + kCellHeight * static_cast<double>(row);
    drawing.label(kMapLeft - 6, y + kCellHeight / 2 + 4, "end", map.rows[row]);
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      draw_cell(drawing, map.cells.at(row * map.columns.size() + column),
                kMapLeft + kCellWidth * static_cast<double>(column), y, plot,
                fmt::format("{} {}, {} {}", map.row_label, map.rows[row], plot.x_label,
                            map.columns[column]));
    }
  }
  return drawing.finish();
}

}  // namespace

std::string escaped(std::string_view text) {
  return escaped_text(text, false);
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
