#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>

#include "observe/pipeline_metrics.hpp"
#include "telemetry/time_bins.hpp"

namespace virnucpro {

// The content of telemetry_<time>.jsonl, which has one line per batch. For a killed run, this
// covers the batches up to the last complete line.
struct BatchFacts {
  static constexpr std::size_t kMostWorkers = 64;  // workers with bins of their own

  PipelineSummary pipeline{};  // the batches, added up as in the run itself
  double journal_seconds = 0;
  std::uint64_t damaged_lines = 0;
  std::map<std::uint32_t, TimeBins> esm_tokens_by_worker;
  TimeBins packing;
  TimeBins waiting;
};

// Reads a file of batch lines; memory does not grow with it. Unreadable lines are skipped and
// counted. An incomplete last line is skipped but not counted: the run was killed while it wrote
// that line. Errors: kInputMissing, kInputRead.
BatchFacts read_batches(const std::filesystem::path& file);

}  // namespace virnucpro
