#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "observe/host_usage.hpp"
#include "observe/nvml.hpp"
#include "observe/phase.hpp"

namespace virnucpro {

using SystemTime = std::chrono::system_clock::time_point;

// "20260131T093000.123Z", the time at which a run began, as its files are named.
std::string file_time(SystemTime start);
// "2026-01-31T09:30:00.123Z"
std::string iso_time(SystemTime time);

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

}  // namespace virnucpro
