#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/contig_map.hpp"
#include "telemetry/time_bins.hpp"

namespace virnucpro {

// A Page is a report's content. HTML, Markdown and JSON are all written from it, so they agree.

// A number or a text; monostate if it was not measured.
using Value = std::variant<std::monostate, std::uint64_t, double, std::string>;

// The form in which a value is shown to people. JSON has the plain value.
enum class Measure : std::uint8_t {
  kNone,
  kCount,
  kSeconds,
  kBytes,
  kPercent,  // 0 to 100
  kShare,    // 0 to 1, shown as percent
  kPerSecond,
  kWatts,
  kCelsius,
  kMegahertz,
  kScore,
  kFactor,  // a ratio, shown with ×
  kExact,   // shown with all its digits
  kStatus,  // a word that is shown as a badge: PASS, WARN, MISS, SKIPPED, virus, above
};

std::string value_text(const Value& value, Measure unit);
// Returns a short text of a value, for axes: "1.5k", "20 GB".
std::string axis_text(double value, Measure unit);
// Returns the text for a spreadsheet: "_" replaces a first letter that would begin a formula.
std::string without_formula(std::string text);

// Returns the number as a value; an empty value if `number` is empty.
Value optional_value(const std::optional<double>& number);
// Returns part / whole; empty if whole is 0.
Value share_value(std::uint64_t part, std::uint64_t whole);

struct Field {
  std::string key{};  // the key in JSON
  std::string label{};
  Value value{};
  Measure unit = Measure::kNone;
};

struct Column {
  std::string key{};
  std::string label{};
  Measure unit = Measure::kNone;
  std::string absent = "not measured";  // shown if a number is empty
  bool is_under_first = false;          // HTML shows the column's text in the row's first cell
};

// Returns a table's value as text.
std::string cell_text(const Value& value, const Column& column);

struct Table {
  std::string key{};
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<Value>> rows{};
  bool can_be_filtered = false;
  bool fills_screen = false;  // the page's main table, as high as the screen
};

struct PlotLine {
  std::string name{};
  std::vector<PlotPoint> points{};
};

struct PlotBar {
  std::string tick{};  // short name below the bar
  std::string name{};  // full name
  double value = 0;
  std::size_t colour = 0;  // index of the colour, as for lines
};

// The border of a heat map's cell.
enum class HeatMark : std::uint8_t { kNone, kChosen, kLeftOut };

struct HeatCell {
  std::optional<double> value{};  // empty: not measured
  double heat = 0;                // strength of the colour, 0 to 1
  std::string note{};             // a text below the value
  HeatMark mark = HeatMark::kNone;
};

struct HeatMap {
  std::string row_label{};          // a label for all rows; x_label is for all columns
  std::vector<std::string> rows{};  // the rows' names, top to bottom
  std::vector<std::string> columns{};
  std::vector<HeatCell> cells{};  // all cells, row by row
};

// The types of plot: lines over time, lines over another number, vertical bars, horizontal bars
// with their names at the left, a heat map, or a contig with its scores.
enum class PlotKind : std::uint8_t { kOverTime, kOverNumber, kBars, kRows, kHeatMap, kContig };

struct Plot {
  std::string key{};
  std::string title{};
  PlotKind kind = PlotKind::kOverTime;
  std::string x_label{};  // for kOverNumber, kBars and kHeatMap
  std::string y_label{};
  Measure unit = Measure::kNone;  // of y values, bars or cells
  std::vector<PlotLine> lines{};
  std::vector<PlotBar> bars{};
  // For bars that are bins: the label at the last bin's right end. Each bin has its own tick at its
  // left end.
  std::string end_tick{};
  // A score that is drawn as a line, at this share of the width (kBars) or the height (kContig).
  std::optional<double> cut_off{};
  HeatMap map{};
  std::vector<MapStretch> stretches{};  // for kContig: all stretches of the contig
};

struct Section {
  std::string key{};
  std::string title{};
  std::string note{};  // a sentence below the title
  std::vector<Field> fields{};
  std::vector<Plot> plots{};
  std::vector<Table> tables{};
  std::string preformatted{};  // a command to be copied
  bool folded = false;         // HTML shows only the title until the section is opened or printed
};

struct Page {
  std::string title{};
  std::string subtitle{};
  std::vector<std::string> badges{};  // "finished", "partial", "synthetic weights"
  std::vector<Field> highlights{};
  std::vector<std::string> warnings{};
  std::vector<Section> sections{};
};

}  // namespace virnucpro
