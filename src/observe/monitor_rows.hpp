#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time_text.hpp"
#include "observe/host_usage.hpp"
#include "observe/nvml.hpp"
#include "observe/phase.hpp"

namespace virnucpro {

// The column names of the rows below, with the line end. Values that are unknown, or do not apply
// to the device or the host, are empty.
inline constexpr std::string_view kMonitorHeader =
    "timestamp,device_id,stage,utilization_percent,memory_used_bytes,memory_total_bytes,"
    "temperature_c,power_w,sm_clock_mhz,throttle_reasons,ecc_errors,process_cpu_percent,rss_bytes,"
    "read_bytes,written_bytes\n";

std::string device_row(SystemTime time, Phase phase, const std::string& id,
                       const GpuReading& reading);
std::string host_row(SystemTime time, Phase phase, const HostUsage& usage,
                     std::optional<double> cpu_percent);

}  // namespace virnucpro
