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

// A number or words; monostate if it was not measured.
using Value = std::variant<std::monostate, std::uint64_t, double, std::string>;

// Says how a value is written for people. JSON has the plain value.
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
  kFactor,  // how many times as much
  kStatus,  // a word that is shown as a badge: PASS, WARN, MISS, SKIPPED, virus, above
};

std::string value_text(const Value& value, Measure unit);
// Returns a short form for axes: "1.5k", "20 GB".
std::string axis_text(double value, Measure unit);
// Returns a text for a spreadsheet. If it begins like a formula, "_" replaces its first letter.
std::string without_formula(std::string text);

struct Field {
  std::string key{};  // in JSON
  std::string label{};
  Value value{};
  Measure unit = Measure::kNone;
};

struct Column {
  std::string key{};
  std::string label{};
  Measure unit = Measure::kNone;
  std::string absent = "not measured";  // shown for an empty number
  bool is_under_first = false;          // HTML shows it below the row's first cell, which is a text
};

struct Table {
  std::string key{};
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<Value>> rows{};
  bool can_be_filtered = false;
  bool fills_screen = false;  // the page is about this table
};

struct PlotLine {
  std::string name{};
  std::vector<PlotPoint> points{};
};

struct PlotBar {
  std::string tick{};  // short name below the bar
  std::string name{};  // full name
  double value = 0;
  std::size_t colour = 0;  // the colour's number, counted as for lines
};

// The mark of a heat map's cell, besides its colour.
enum class HeatMark : std::uint8_t { kNone, kChosen, kLeftOut };

struct HeatCell {
  std::optional<double> value{};  // empty: not measured
  double heat = 0;                // 0 to 1: how strong its colour is
  std::string note{};             // below the value
  HeatMark mark = HeatMark::kNone;
};

struct HeatMap {
  std::string row_label{};          // the kind of rows; x_label has the kind of columns
  std::vector<std::string> rows{};  // the rows' names, top to bottom
  std::vector<std::string> columns{};
  std::vector<HeatCell> cells{};  // all cells, row by row
};

// The kinds of plot: lines over time or over another number, vertical bars, horizontal bars with
// their names at the left, a heat map, or a contig with its scores.
enum class PlotKind : std::uint8_t { kOverTime, kOverNumber, kBars, kRows, kHeatMap, kContig };

struct Plot {
  std::string key{};
  std::string title{};
  PlotKind kind = PlotKind::kOverTime;
  std::string x_label{};  // of kOverNumber, kBars and kHeatMap
  std::string y_label{};
  Measure unit = Measure::kNone;  // of y, of the bars or of the cells
  std::vector<PlotLine> lines{};
  std::vector<PlotBar> bars{};
  // If the kBars are bins: the number at the right end. Other ticks are at the bars' left ends.
  std::string end_tick{};
  // A score that is drawn as a line, at this share of kBars' width or kContig's height (else 0.5).
  std::optional<double> cut_off{};
  HeatMap map{};
  std::vector<MapStretch> stretches{};  // of kContig: the whole contig that `title` names
};

struct Section {
  std::string key{};
  std::string title{};
  std::string note{};  // a sentence below the title
  std::vector<Field> fields{};
  std::vector<Plot> plots{};
  std::vector<Table> tables{};
  std::string preformatted{};  // a command to be copied
  bool folded = false;         // HTML shows only its title until the reader opens it, or prints
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
