#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "report/page.hpp"
#include "validate/measure/statistics.hpp"
#include "validate/suites/benchmark.hpp"

namespace virnucpro {

// From here on a figure is worse, where repeats do not differ by as much themselves.
inline constexpr double kRegressionRatio = 1.10;

// A figure as a file of results keeps it.
struct KeptMetric {
  std::string key{};
  Better better = Better::kHigher;
  Spread spread{};
  bool brief = false;  // of runs too short to tell it
};

// What a benchmark was of: figures are held against each other where this is equal.
struct BenchmarkIdentity {
  std::string device;    // "NVIDIA H200 x 2", or the processor
  std::string models;    // as they were named
  std::string settings;  // precision, chunk size, data
  bool operator==(const BenchmarkIdentity&) const = default;
};

struct KeptResults {
  std::string time{};  // ISO 8601
  std::string commit{};
  std::string build{};
  std::string host{};
  std::string driver{};  // of the GPUs; empty: none
  double clock_mhz = 0;  // of their SMs while they computed; 0: not told
  BenchmarkIdentity identity{};
  std::vector<KeptMetric> metrics{};
};

enum class Change : std::uint8_t {
  kSame,       // within the bar
  kBetter,     // by more than the bar
  kUnclear,    // the medians differ by more than the bar, and it cannot be told from chance
  kRegression  // worse by more than the bar
};
std::string_view name_of(Change change);  // "same", "better", "unclear", "regression"

struct MetricChange {
  std::string key{};
  double before = 0;
  double now = 0;
  double slower = 1;  // times: above 1 is worse, whichever way the figure counts
  Change change = Change::kSame;
};

// Of one figure: worse by more than the bar, and the better quartile of the one below the worse
// quartile of the other. A single repeat, or runs that were too short, tell no chance from change.
MetricChange change_of(const KeptMetric& before, const KeptMetric& now);
// Of the figures that both have, in the order of `now`.
std::vector<MetricChange> changes_between(const std::vector<KeptMetric>& before,
                                          const std::vector<KeptMetric>& now);
std::vector<KeptMetric> kept(const std::vector<SuiteReport>& suites);

// Results as a benchmark's JSON has them (benchmark_json()). Errors: kInputMissing; kJson; kUsage
// for a JSON file without such figures.
KeptResults read_results(const std::filesystem::path& file);

Json json_of(const KeptResults& results);
// The history of a machine's benchmarks: a file of JSON lines that only grows.
std::string history_line(const KeptResults& results);
// Lines that cannot be read are left out; there is no file: none. Errors: kInputRead.
std::vector<KeptResults> read_history(const std::filesystem::path& file);

// Section of a report: figures against those of `before`.
Section change_section(const KeptResults& before, const std::vector<MetricChange>& changes);
// Each figure over the runs of the same identity, this one last.
Section trend_section(const std::vector<KeptResults>& history);

}  // namespace virnucpro
