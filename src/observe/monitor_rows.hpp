#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "observe/host_usage.hpp"
#include "observe/monitor.hpp"
#include "observe/nvml.hpp"
#include "observe/phase.hpp"

namespace virnucpro {

// The column names of the rows below, with the line end: first v2's names, for programs that read
// v2's file, then this program's. The line is not a comment, so that readers of CSV find it, too. A
// value that is unknown, or does not apply, is empty.
inline constexpr std::string_view kMonitorHeader =
    "timestamp,device_id,gpu_util,mem_used_mb,mem_percent,temperature,power_draw,stage,"
    "utilization_percent,memory_used_bytes,memory_total_bytes,"
    "temperature_c,power_w,sm_clock_mhz,throttle_reasons,ecc_errors,process_cpu_percent,rss_bytes,"
    "read_bytes,written_bytes\n";

// The host's `device_id`; a GPU's is its number.
inline constexpr std::string_view kHostId = "-1";

std::string device_row(SystemTime time, Phase phase, const std::string& id,
                       const GpuReading& reading);
std::string host_row(SystemTime time, Phase phase, const HostUsage& usage,
                     std::optional<double> cpu_percent);

// Returns v2's summary as comments. A stage's seconds are its number of samples times `interval`.
std::string monitor_footer(SystemTime time, const std::vector<DeviceSummary>& devices,
                           std::chrono::duration<double> interval);

}  // namespace virnucpro
