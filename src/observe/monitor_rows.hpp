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

// The CSV file's header line, with its line end. v2's columns come first, so that programs for v2's
// file can read this file. The line does not begin with "#", so that CSV readers find the names. A
// field is empty if its value is unknown or does not apply to the row.
inline constexpr std::string_view kMonitorHeader =
    "timestamp,device_id,gpu_util,mem_used_mb,mem_percent,temperature,power_draw,stage,"
    "utilization_percent,memory_used_bytes,memory_total_bytes,"
    "temperature_c,power_w,sm_clock_mhz,throttle_reasons,ecc_errors,process_cpu_percent,rss_bytes,"
    "read_bytes,written_bytes\n";

// The `device_id` in the host's rows; a GPU's rows have the GPU's number.
inline constexpr std::string_view kHostId = "-1";

std::string device_row(SystemTime time, Phase phase, const std::string& id,
                       const GpuReading& reading);
std::string host_row(SystemTime time, Phase phase, const HostUsage& usage,
                     std::optional<double> cpu_percent);

// Returns v2's summary; its lines begin with "#". A phase's seconds are samples times `interval`.
std::string monitor_footer(SystemTime time, const std::vector<DeviceSummary>& devices,
                           std::chrono::duration<double> interval);

}  // namespace virnucpro
