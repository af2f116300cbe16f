#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace virnucpro {

// The telemetry files of one session of a run. A missing file's path is empty.
struct TelemetryFiles {
  std::filesystem::path summary;  // telemetry_<time>.json; a killed session has none
  std::filesystem::path batches;  // telemetry_<time>.jsonl
  std::filesystem::path metrics;  // logs/gpu_metrics_<time>.log
};

// Returns the start times of a run's sessions, as in the names of their files, the oldest first.
std::vector<std::string> telemetry_times(const std::filesystem::path& run);
TelemetryFiles telemetry_at(const std::filesystem::path& run, const std::string& time);

// Returns the files of the newest session that computed a batch. A session that found all results
// in the journal measured nothing. If no session computed, returns the newest session's files.
TelemetryFiles newest_telemetry(const std::filesystem::path& run);

}  // namespace virnucpro
