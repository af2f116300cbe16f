#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "measure/suites/benchmark.hpp"
#include "measure/timing/spread.hpp"
#include "report/page.hpp"

namespace virnucpro {

// A figure counts as worse if its median got worse by more than this ratio, unless its repeats vary
// as much.
inline constexpr double kRegressionRatio = 1.10;
// The ratio for a figure that should not change. It is not exactly 1: another instruction set may
// change a score's last digit, and so a few bytes of a table.
inline constexpr double kSameRatio = 1.01;
// The largest ratio that is reported, because a ratio to a figure of 0 is infinite.
inline constexpr double kMostRatio = 1000;

// A figure in a results file.
struct KeptMetric {
  std::string key{};
  Better better = Better::kHigher;
  Spread spread{};
  bool brief = false;    // true: its runs were too short for a reliable rate
  bool counted = false;  // true: as Metric::counted
};

// The device, models and settings of a benchmark. Figures are compared if the identities are equal;
// counted figures are compared even if only the device differs.
struct BenchmarkIdentity {
  std::string device;    // "NVIDIA H200 x 2", or the processor
  std::string models;    // as the user named them
  std::string settings;  // precision, threads, chunk size, data, …
  bool operator==(const BenchmarkIdentity&) const = default;
  bool same_work(const BenchmarkIdentity& other) const {
    return models == other.models && settings == other.settings;
  }
};

struct KeptResults {
  std::string time{};  // ISO 8601
  std::string commit{};
  std::string build{};
  std::string host{};
  std::string driver{};  // version of the GPUs' driver; empty: no GPU
  double clock_mhz = 0;  // clock of the GPUs' SMs while computing; 0: unknown
  BenchmarkIdentity identity{};
  std::vector<KeptMetric> metrics{};
};

enum class Change : std::uint8_t {
  kSame,        // the medians differ by at most the bar: kRegressionRatio or kSameRatio
  kBetter,      // better by more than the bar
  kUnclear,     // the medians differ by more than the bar, perhaps by chance
  kRegression,  // worse by more than the bar
  kMissing      // only the earlier benchmark has this figure
};
// Returns "same", "better", "unclear", "regression" or "not measured".
std::string_view name_of(Change change);

struct MetricChange {
  std::string key{};
  double before = 0;
  double now = 0;
  double slower = 1;  // a ratio, at most kMostRatio; above 1 always means worse
  Change change = Change::kSame;
};

// Returns the change of one figure. A change counts as real if the medians differ by more than the
// bar and the quartiles do not overlap. A change between single repeats or short runs may be noise,
// unless the figure is counted.
MetricChange change_of(const KeptMetric& before, const KeptMetric& now);
// Returns the changes of the figures in both lists, in the order of `now`. After them come the
// figures that only `before` has, if `now` has other figures of the same suite.
std::vector<MetricChange> changes_between(const std::vector<KeptMetric>& before,
                                          const std::vector<KeptMetric>& now);
std::vector<KeptMetric> kept(const std::vector<SuiteReport>& suites);

// Reads earlier figures from a benchmark's JSON (benchmark_json()), from v2's JSON, whose identity
// is empty, or from a history, whose name ends in .jsonl. From a history, reads the last figures of
// `identity`; if there are none, the last of the same work on another device. Errors:
// kInputMissing; kInputRead; kJson; kUsage for a file without figures.
KeptResults read_results(const std::filesystem::path& file, const BenchmarkIdentity& identity);

Json json_of(const KeptResults& results);
// Returns a line for a machine's history of benchmarks: a file of JSON lines that only grows.
std::string history_line(const KeptResults& results);
// Reads a history, and skips unreadable lines; empty if there is no file. Errors: kInputRead.
std::vector<KeptResults> read_history(const std::filesystem::path& file);

// Returns the last results of this identity; null if there are none.
const KeptResults* last_of(const std::vector<KeptResults>& history,
                           const BenchmarkIdentity& identity);

// Returns the figures that can be compared: all if the identities are equal, the counted figures if
// only the device differs, else none.
std::vector<KeptMetric> comparable(const std::vector<KeptMetric>& metrics,
                                   const BenchmarkIdentity& a, const BenchmarkIdentity& b);

// Returns a report's section that compares figures with those of `before`.
Section change_section(const KeptResults& before, const std::vector<MetricChange>& changes);
// Returns the section that shows each figure over the runs of one identity, this run last.
Section trend_section(const std::vector<KeptResults>& history);

}  // namespace virnucpro
