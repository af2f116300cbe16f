#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The limits of the requirements; configuration keys run.requirements.*.
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

// The monitor's measurements of one GPU.
struct MeasuredGpu {
  std::string id{};
  std::uint64_t rows = 0;               // rows in the log that have at least the GPU's memory
  std::uint64_t nvml_rows = 0;          // rows that have NVML's values
  std::optional<double> utilization{};  // percent, while embedding
  std::string failure{};                // NVML's error; else empty
};

// The shadow check's estimate for the calls that were not computed again.
struct MeasuredCalls {
  std::uint64_t chunks = 0;
  std::uint64_t sampled = 0;
  double changed = 0;  // estimated; its 95 % interval is from low to high
  double low = 0;
  double high = 0;
};

// The measurements that verdicts need.
struct RunMeasurements {
  double computing_seconds = 0;           // of the slowest worker, waits included
  std::uint64_t sequences = 0;            // sequences read
  std::uint64_t one_chunk_sequences = 0;  // sequences of a single chunk
  std::uint64_t scored_chunks = 0;        // computed in computing_seconds
  std::size_t gpus = 0;
  double esm_tokens_per_second = 0;  // of all GPUs
  bool is_esm2_3b = false;           // ESM-2 has the size of the published 3B
  double packing = 0;                // percent
  std::uint64_t batches = 0;
  std::uint64_t starved_batches = 0;
  std::optional<double> imbalance{};     // of the workers' computing time, percent
  bool spare_processors = false;         // more processors are usable than --threads
  std::uint64_t samples = 0;             // taken by the monitor
  std::uint64_t written = 0;             // samples in the monitor's log
  std::vector<MeasuredGpu> measured{};   // one per GPU
  std::string monitor_failure{};         // why the monitor's log lacks rows; else empty
  std::optional<MeasuredCalls> calls{};  // empty: no shadow check
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
  std::string detail{};  // why it was skipped, or a remark on the value
};

inline constexpr std::uint64_t kProjectedReads = 6'000'000;  // reads in PERF-01, each of one chunk

// Returns the verdicts on a single run, in the order of their ids; PREC-01 only with a shadow
// check. Most verdicts are skipped for a short run, because it mostly loads models and computes a
// half-empty batch. A skipped requirement never counts as passed.
std::vector<Verdict> judge(const RunMeasurements& run, const Thresholds& thresholds);

// Returns why a run with this computing time is too short for verdicts on its rates; else "".
std::string too_short(double computing_seconds, const Thresholds& thresholds);
// Judges a value that should be at least `wanted`: WARN below `wanted`, MISS below `least`.
Verdict judged_at_least(Verdict verdict, double value, double wanted, double least);
// Judges a value that should be at most `wanted`: WARN above `wanted`, MISS above `most`.
Verdict judged_at_most(Verdict verdict, double value, double wanted, double most);
// Returns why the time for reads of one chunk cannot be projected from this run; else "".
std::string why_not_of_reads(const RunMeasurements& run);
// Returns PERF-01. `why_not` says why the hours are unknown; empty if they are known.
Verdict judge_projected_time(double hours, const std::string& why_not,
                             const Thresholds& thresholds);

// Throws kRequirementMissed, with the first missed requirement, if any requirement is missed.
void require_all_met(const std::vector<Verdict>& verdicts);

// Returns a line such as "PERF-05 packing: 62.1 %, wanted >= 90 %".
std::string verdict_line(const Verdict& verdict);

}  // namespace virnucpro
