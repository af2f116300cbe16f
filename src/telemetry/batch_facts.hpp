#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>

#include "observe/pipeline_metrics.hpp"
#include "telemetry/run_telemetry.hpp"
#include "telemetry/time_bins.hpp"

namespace virnucpro {

struct WorkerFacts {
  BatchTotals totals{};
  double busy = 0;     // seconds
  double waiting = 0;  // seconds, for batches
  TimeBins esm_tokens_over_time;
};

// What telemetry_<time>.jsonl says; it has one line per batch. For a killed run, this covers the
// batches up to the last complete line.
struct BatchFacts {
  static constexpr std::size_t kMostWorkers = 64;  // others count in the totals only

  BatchTotals totals{};  // a time is NaN if any line lacks it
  double journal = 0;    // seconds; NaN likewise
  double seconds = 0;    // from the run's start to the last batch's end
  double longest_wait = 0;
  std::array<std::uint64_t, kQueueStateNames.size()> queue_states{};  // batches
  std::map<std::uint32_t, WorkerFacts> workers;
  std::uint64_t damaged_lines = 0;
  TimeBins frames_over_time;
  TimeBins esm_tokens_over_time;
  TimeBins packing;
  TimeBins waiting;
};

// Memory does not grow with the file. Unreadable lines are skipped and counted. A last line without
// its end is skipped but not counted: the run was killed while it wrote that line.
// Errors: kInputMissing, kInputRead.
BatchFacts read_batches(const std::filesystem::path& file);

// The telemetry of a run that was killed before it wrote a summary, as far as batches show it.
RunTelemetry telemetry_of(const BatchFacts& facts);

}  // namespace virnucpro
