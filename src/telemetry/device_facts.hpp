#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "observe/statistic.hpp"
#include "telemetry/time_bins.hpp"

namespace virnucpro {

// Repeated measurements of one quantity.
struct Gauge {
  Statistic values{};
  TimeBins over_time{};

  void add(double seconds, double value) {
    values.add(value);
    over_time.add(seconds, value);
  }
};

struct DeviceFacts {
  std::string id;
  Gauge utilization;                   // percent
  Gauge memory;                        // bytes
  Gauge power;                         // watts
  Gauge temperature;                   // degrees Celsius
  Gauge clock;                         // MHz
  std::set<std::string> throttled_by;  // why its clock was reduced
};

struct HostFacts {
  Gauge cpu;     // percent of one processor
  Gauge memory;  // bytes resident
};

// The contents of logs/gpu_metrics_<time>.log.
struct MetricFacts {
  static constexpr std::size_t kMostDevices = 64;
  static constexpr std::size_t kMostReasons = 16;

  std::uint64_t rows = 0;
  std::uint64_t damaged_lines = 0;
  std::vector<DeviceFacts> devices;  // in the order of their first rows
  HostFacts host;
};

// Reads a comma-separated table whose first line names its columns, in any order. `timestamp` is in
// ISO 8601 or in seconds; times are counted from the first row. An empty field is unknown. Memory
// does not grow with the file. Unreadable rows are skipped and counted; a last line without its end
// is skipped but not counted. Errors: kInputMissing, kInputRead; kInputFormat if the first line
// lacks the names `timestamp` or `device_id`.
MetricFacts read_metrics(const std::filesystem::path& file);

}  // namespace virnucpro
