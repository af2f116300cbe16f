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

// What telemetry_<time>.jsonl says: a line a batch. It is whole only of a run that ended; of a
// killed one it goes as far as its last whole line.
struct BatchFacts {
  static constexpr std::size_t kMostWorkers = 64;  // those beyond have no row of their own

  BatchTotals totals{};  // a time that some line lacks is NaN
  double journal = 0;    // seconds, likewise
  double seconds = 0;    // of the last batch's end, from the run's start
  double longest_wait = 0;
  std::array<std::uint64_t, kQueueStateNames.size()> queue_states{};  // batches
  std::map<std::uint32_t, WorkerFacts> workers;
  std::uint64_t damaged_lines = 0;
  TimeBins frames_over_time;
  TimeBins esm_tokens_over_time;
  TimeBins packing;
  TimeBins waiting;
};

// Memory does not grow with the file. A line that cannot be read is counted, and else left out; the
// last one without its end is not counted: the run was killed while it wrote it.
// Errors: kInputMissing, kInputRead.
BatchFacts read_batches(const std::filesystem::path& file);

// The summary of a run that was killed before it wrote one, as far as its batches tell.
RunTelemetry telemetry_of(const BatchFacts& facts);

}  // namespace virnucpro
