#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/run_telemetry.hpp"

namespace virnucpro {

// The limits of the requirements. The configuration keys run.requirements.* set them.
struct Thresholds {
  double projected_hours = 9;        // PERF-01: met below this
  double most_projected_hours = 11;  // missed at or above this
  double utilization = 80;           // PERF-02, percent
  double least_utilization = 70;     // missed below this
  // PERF-04: tokens of ESM-2 3B a second on each GPU, as v2 published for an RTX 4090.
  double tokens_per_second = 16'500;
  double least_tokens_per_second = 13'200;  // missed below this
  double packing = 90;                      // PERF-05, percent
  double least_packing = 80;                // missed below this
  double starved = 10;                      // PERF-05, percent of the batches
  double most_starved = 20;                 // missed at or above this
  double imbalance = 10;                    // MON-03, percent
  double most_imbalance = 25;               // missed above this
  double changed_calls = 1e-4;              // PREC-01, share of the chunks
  double most_changed_calls = 1e-3;         // missed above this
  double shortest_run = 30;                 // seconds of computing; shorter runs are skipped
};

enum class VerdictStatus : std::uint8_t { kPass, kWarn, kMiss, kSkipped };
std::string_view name_of(VerdictStatus status);  // "PASS", "WARN", "MISS", "SKIPPED"

// A requirement of the validation suite, with the result of a run.
struct Verdict {
  std::string_view id{};  // "PERF-01"
  std::string_view name{};
  VerdictStatus status = VerdictStatus::kSkipped;
  std::optional<double> value{};
  std::string_view unit{};
  std::string bar{};
  std::string detail{};  // why the verdict was skipped, or a remark on the value
};

inline constexpr std::uint64_t kProjectedReads = 6'000'000;  // reads in PERF-01, each of one chunk

// Returns the verdicts on a single run, in the order of their ids; PREC-01 only with a shadow
// check. `computing_seconds` are those of the slowest worker, waits included. Most verdicts are
// skipped for a short run, because it mostly loads models and computes a half-empty batch. A
// skipped requirement never counts as passed.
std::vector<Verdict> judge(const RunTelemetry& run, double computing_seconds,
                           const Thresholds& thresholds);

// Returns why a run with this computing time is too short for verdicts on its rates; else "".
std::string too_short(double computing_seconds, const Thresholds& thresholds);
// Judges a value that should be at least `wanted`: WARN below `wanted`, MISS below `least`.
Verdict judged_at_least(Verdict verdict, double value, double wanted, double least);
// Judges a value that should be at most `wanted`: WARN above `wanted`, MISS above `most`.
Verdict judged_at_most(Verdict verdict, double value, double wanted, double most);
// Returns why the time for reads of one chunk cannot be projected from this run; else "".
std::string why_not_of_reads(const RunTelemetry::Workload& work);
// Returns PERF-01. `why_not` says why the hours are unknown; empty if they are known.
Verdict judge_projected_time(double hours, const std::string& why_not,
                             const Thresholds& thresholds);

// Throws kRequirementMissed, with the first missed requirement, if any requirement is missed.
void require_all_met(const std::vector<Verdict>& verdicts);

// Returns a line such as "PERF-05 packing: 62.1 %, wanted >= 90 %".
std::string verdict_line(const Verdict& verdict);

}  // namespace virnucpro
