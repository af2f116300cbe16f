#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "observe/monitor.hpp"
#include "telemetry/time_bins.hpp"

namespace virnucpro {

// The measurements over a run's time, for plots.
using DeviceBins = GpuGauges<TimeBins>;
struct HostBins {
  TimeBins cpu;     // percent of one processor
  TimeBins memory;  // resident memory in bytes
};

// The contents of logs/gpu_metrics_<time>.log.
struct MetricFacts {
  static constexpr std::size_t kMostDevices = 64;

  std::uint64_t rows = 0;
  std::uint64_t damaged_lines = 0;
  MonitorSummary summary{};         // sums over the rows, computed as during the run
  std::vector<DeviceBins> devices;  // in the order of their first rows, as in the summary
  HostBins host;
};

// Reads a comma-separated table in fixed memory. The first line names the columns, in any order;
// lines that begin with # are comments. `timestamp` is in ISO 8601 or in seconds; times are counted
// from the first row. An empty field is an unknown value. Unreadable rows are skipped and counted;
// an incomplete last line is skipped but not counted. Errors: kInputMissing, kInputRead;
// kInputFormat if the first line lacks the name `timestamp`, `device_id` or `stage`.
MetricFacts read_metrics(const std::filesystem::path& file);

}  // namespace virnucpro
