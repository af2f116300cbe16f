#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "telemetry/time_bins.hpp"

namespace virnucpro {

// What was measured of one thing, now and then.
struct Gauge {
  std::uint64_t samples = 0;
  double least = 0;
  double most = 0;
  double sum = 0;
  TimeBins over_time;

  void add(double seconds, double value);
  double average() const { return sum / static_cast<double>(samples); }  // of at least one
};

struct DeviceFacts {
  std::string id;
  Gauge utilization;                   // percent
  Gauge memory;                        // bytes
  Gauge power;                         // watts
  Gauge temperature;                   // degrees Celsius
  Gauge clock;                         // MHz
  std::set<std::string> throttled_by;  // what its clock was held down by
};

struct HostFacts {
  Gauge cpu;     // percent of one processor
  Gauge memory;  // bytes resident
};

// What logs/gpu_metrics_<time>.log says.
struct MetricFacts {
  static constexpr std::size_t kMostDevices = 64;
  static constexpr std::size_t kMostReasons = 16;

  std::uint64_t rows = 0;
  std::uint64_t damaged_lines = 0;
  std::vector<DeviceFacts> devices;  // in the order of their first rows
  HostFacts host;
};

// A table with commas whose first line names its columns, in any order; `timestamp` is a moment of
// ISO 8601 or seconds, and is counted from the first row's. An empty field is not known. Memory
// does not grow with the file; rows that cannot be read are counted and left out, a last line
// without its end is not counted. Errors: kInputMissing, kInputRead; kInputFormat when the first
// line does not name the columns.
MetricFacts read_metrics(const std::filesystem::path& file);

}  // namespace virnucpro
