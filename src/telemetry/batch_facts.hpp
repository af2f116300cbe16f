#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>

#include "observe/pipeline_metrics.hpp"
#include "telemetry/time_bins.hpp"

namespace virnucpro {

// Statistics of telemetry_<time>.jsonl, which has one line per batch. The file of a killed run has
// the batches up to its last complete line.
struct BatchFacts {
  static constexpr std::size_t kMostWorkers = 64;  // limit of esm_tokens_by_worker.size()

  PipelineSummary pipeline{};  // sums over the batches, computed as during the run
  double journal_seconds = 0;
  std::uint64_t damaged_lines = 0;
  std::map<std::uint32_t, TimeBins> esm_tokens_by_worker;
  TimeBins packing;
  TimeBins waiting;
};

// Reads a file of batch lines in fixed memory. Unreadable lines are skipped and counted. A killed
// run may leave an incomplete last line, which is not counted. Errors: kInputMissing, kInputRead.
BatchFacts read_batches(const std::filesystem::path& file);

}  // namespace virnucpro
