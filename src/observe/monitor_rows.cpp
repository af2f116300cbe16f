#include "observe/monitor_rows.hpp"

#include <fmt/format.h>

namespace virnucpro {
namespace {

std::string row_start(SystemTime time, const std::string& id, Phase phase) {
  return fmt::format("{},{},{}", iso_time(time), id, name_of(phase));
}

template <typename T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::format(",{}", *value) : ",";
}

}  // namespace

std::string device_row(SystemTime time, Phase phase, const std::string& id,
                       const GpuReading& reading) {
  std::optional<std::string> reasons;
  if (reading.throttle_reasons) reasons = throttle_names(*reading.throttle_reasons);
  return row_start(time, id, phase) + field(reading.utilization_percent) +
         field(reading.memory_used) + field(reading.memory_total) + field(reading.temperature_c) +
         field(reading.power_w) + field(reading.sm_clock_mhz) + field(reasons) +
         field(reading.ecc_errors) + ",,,,\n";
}

std::string host_row(SystemTime time, Phase phase, const HostUsage& usage,
                     std::optional<double> cpu_percent) {
  std::optional<std::string> percent;
  if (cpu_percent) percent = fmt::format("{:.1f}", *cpu_percent);
  return row_start(time, "host", phase) + ",,,,,,,," + field(percent) + field(usage.rss_bytes) +
         field(usage.read_bytes) + field(usage.written_bytes) + '\n';
}

}  // namespace virnucpro
