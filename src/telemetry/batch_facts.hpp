#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "telemetry/time_bins.hpp"

namespace virnucpro {

struct WorkerFacts {
  std::uint64_t batches = 0;
  std::uint64_t frames = 0;
  std::uint64_t esm_tokens = 0;
  double busy = 0;     // seconds
  double waiting = 0;  // seconds, for batches
  TimeBins esm_tokens_over_time;
};

// What telemetry_<time>.jsonl says: a line a batch. It is whole only of a run that ended; of a
// killed one it goes as far as its last whole line.
struct BatchFacts {
  static constexpr std::size_t kMostWorkers = 64;  // those beyond have no row of their own

  std::uint64_t batches = 0;
  std::uint64_t damaged_lines = 0;
  std::uint64_t frames = 0;
  std::uint64_t esm_tokens = 0;
  std::uint64_t dna_tokens = 0;
  std::uint64_t budget_tokens = 0;
  double seconds = 0;  // of the last batch's end, from the run's start
  double longest_wait = 0;
  std::map<std::string, double> stages;               // seconds by stage
  std::map<std::string, std::uint64_t> queue_states;  // batches by state
  std::map<std::uint64_t, WorkerFacts> workers;
  TimeBins frames_over_time;
  TimeBins esm_tokens_over_time;
  TimeBins packing;
  TimeBins waiting;
};

// Memory does not grow with the file. A line that cannot be read is counted, and else left out; the
// last one without its end is not counted: the run was killed while it wrote it.
// Errors: kInputMissing, kInputRead.
BatchFacts read_batches(const std::filesystem::path& file);

}  // namespace virnucpro
