#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "observe/host_usage.hpp"
#include "observe/nvml.hpp"
#include "observe/phase.hpp"

namespace virnucpro {

using SystemTime = std::chrono::system_clock::time_point;

// "gpu_metrics_20260131T093000Z.log", for the time at which a run began.
std::string monitor_file_name(SystemTime start);

// Names the columns, with the line's end, as the rows below have it. What is not known, or is not a
// device's or the host's to have, is empty.
inline constexpr std::string_view kMonitorHeader =
    "timestamp,device_id,stage,utilization_percent,memory_used_bytes,memory_total_bytes,"
    "temperature_c,power_w,sm_clock_mhz,throttle_reasons,ecc_errors,process_cpu_percent,rss_bytes,"
    "read_bytes,written_bytes\n";

std::string device_row(SystemTime time, Phase phase, const std::string& id,
                       const GpuReading& reading);
std::string host_row(SystemTime time, Phase phase, const HostUsage& usage,
                     std::optional<double> cpu_percent);

// A file of such rows under one header. Each append is one write at the end of the file, so that a
// process that is killed leaves every sample before; one that fails leaves no part of it.
class MonitorFile {
 public:
  explicit MonitorFile(std::filesystem::path path) : path_(std::move(path)) {}

  // Opens the file when it is not open yet. Returns 0, or errno as the failed call left it; the
  // next one tries again.
  int append(const std::string& rows);

 private:
  int open();
  int write(std::string_view text);

  std::filesystem::path path_;
  UniqueFd fd_;
};

}  // namespace virnucpro
