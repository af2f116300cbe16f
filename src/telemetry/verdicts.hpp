#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// Where the requirements begin to be missed; configuration keys run.requirements.*.
struct Thresholds {
  double projected_hours = 9;        // PERF-01: below it is met
  double most_projected_hours = 11;  // from here on it is missed
  double utilization = 80;           // PERF-02, percent
  double least_utilization = 70;     // below it is missed
  double packing = 90;               // PERF-05, percent
  double starved = 10;               // PERF-05, percent of the batches
  double most_starved = 20;          // from here on it is missed
  double shortest_run = 30;          // seconds of computing; a shorter run tells nothing
};

// What a run is judged by.
struct RunMeasurements {
  double computing_seconds = 0;         // from the first batch's beginning to the last's results
  std::uint64_t sequences = 0;          // computed in them
  std::optional<double> utilization{};  // percent, of the GPU that was the least busy
  std::size_t gpus = 0;
  double packing = 0;  // percent
  std::uint64_t batches = 0;
  std::uint64_t starved_batches = 0;
  bool spare_processors = false;  // more than --threads uses
  std::uint64_t samples = 0;      // of the monitor
  std::string monitor_failure{};  // why its file is not there; else empty
};

enum class VerdictStatus : std::uint8_t { kPass, kWarn, kMiss, kSkipped };
std::string_view name_of(VerdictStatus status);  // "PASS", "WARN", "MISS", "SKIPPED"

// One requirement of the validation suite, and whether a run meets it.
struct Verdict {
  std::string_view id{};  // "PERF-01"
  std::string_view name{};
  VerdictStatus status = VerdictStatus::kSkipped;
  std::optional<double> value{};
  std::string_view unit{};
  std::string bar{};
  std::string detail{};  // why it was skipped, or what to know of the value
};

inline constexpr std::uint64_t kProjectedSequences = 6'000'000;

// Every requirement that one run can be judged by, in the order of their ids. A skipped one is
// never a pass.
std::vector<Verdict> judge(const RunMeasurements& run, const Thresholds& thresholds);

// Why the rates of a run that computed for so long say nothing; empty: they do.
std::string too_short(double computing_seconds, const Thresholds& thresholds);
// PERF-01 alone. `why_not`: why the hours are not known; empty: they are.
Verdict judge_projected_time(double hours, const std::string& why_not,
                             const Thresholds& thresholds);

// kRequirementMissed, naming the first that is.
void require_all_met(const std::vector<Verdict>& verdicts);

// "PERF-05 packing: 62.1 %, wanted >= 90 %".
std::string verdict_line(const Verdict& verdict);

}  // namespace virnucpro
