#include "observe/monitor_rows.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kLastOfV2 = ",stage,";
constexpr double kMegabyte = 1U << 20U;
constexpr double kGigabyte = 1U << 30U;

// Returns the number in a device's id: "1" for "cuda:1".
std::string_view number_of(std::string_view id) {
  return id.substr(id.rfind(':') + 1);
}

std::string row_start(SystemTime time, std::string_view id) {
  return fmt::format("{:.3f},{}", seconds_since_1970(time), id);
}

template <typename T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::format(",{}", *value) : ",";
}

// Returns the fields after v2's columns. `fields` has the fields that apply to the row, by column.
std::string own_fields(const std::map<std::string_view, std::string>& fields) {
  std::string_view columns =
      kMonitorHeader.substr(kMonitorHeader.find(kLastOfV2) + kLastOfV2.size());
  columns.remove_suffix(1);  // the line end
  std::string text;
  for (const std::string_view column : split_list(columns)) {
    const auto found = fields.find(column);
    text += found == fields.end() ? "," : found->second;
  }
  return text + '\n';
}

// Returns the fields of v2's columns gpu_util, mem_used_mb, mem_percent, temperature, power_draw.
std::string v2_fields(const GpuReading& reading) {
  std::string memory = ",,";
  if (reading.memory_used_bytes && reading.memory_total) {
    const double used = *reading.memory_used_bytes;
    memory = fmt::format(",{:.1f},{:.1f}", used / kMegabyte,
                         100 * used / static_cast<double>(*reading.memory_total));
  }
  return field(reading.utilization_percent) + memory + field(reading.temperature_c) +
         field(reading.power_w);
}

std::string use_text(const GpuStatistics& statistics) {
  const Statistic& percent = statistics.utilization_percent;
  return percent.samples == 0 ? "unknown" : fmt::format("{:.1f}%", percent.average);
}

std::string stage_line(Phase phase, const GpuStatistics& stage, double interval) {
  const Statistic& memory = stage.memory_used_bytes;
  if (memory.samples == 0) return {};
  return fmt::format("#     {}: {} util, {:.2f} GB peak, {:.1f}s\n", name_of(phase),
                     use_text(stage), memory.maximum / kGigabyte,
                     interval * static_cast<double>(memory.samples));
}

}  // namespace

std::string device_row(SystemTime time, Phase phase, const std::string& id,
                       const GpuReading& reading) {
  std::optional<std::string> reasons;
  if (reading.throttle_reasons) reasons = throttle_names(*reading.throttle_reasons);
  std::map<std::string_view, std::string> fields{
      {"memory_total_bytes", field(reading.memory_total)},
      {"throttle_reasons", field(reasons)},
      {"ecc_errors", field(reading.ecc_errors)}};
  for_each_field(reading,
                 [&](std::string_view name, const auto& value) { fields[name] = field(value); });
  return row_start(time, number_of(id)) + v2_fields(reading) + ',' + std::string(name_of(phase)) +
         own_fields(fields);
}

std::string host_row(SystemTime time, Phase phase, const HostUsage& usage,
                     std::optional<double> cpu_percent) {
  std::optional<std::string> percent;
  if (cpu_percent) percent = fmt::format("{:.1f}", *cpu_percent);
  return row_start(time, kHostId) + ",,,,,," + std::string(name_of(phase)) +
         own_fields({{"process_cpu_percent", field(percent)},
                     {"rss_bytes", field(usage.rss_bytes)},
                     {"read_bytes", field(usage.read_bytes)},
                     {"written_bytes", field(usage.written_bytes)}});
}

std::string monitor_footer(SystemTime time, const std::vector<DeviceSummary>& devices,
                           std::chrono::duration<double> interval) {
  std::string text = fmt::format("#\n# Monitoring Stopped: {}\n#\n# Summary:\n", iso_time(time));
  for (const DeviceSummary& device : devices) {
    const GpuStatistics whole = device.whole();
    text +=
        fmt::format("# GPU {}:\n#   Avg Utilization: {}\n", number_of(device.id), use_text(whole));
    text += fmt::format("#   Peak Memory: {:.2f} GB\n#   Samples: {}\n#   By Stage:\n",
                        whole.memory_used_bytes.maximum / kGigabyte, device.rows);
    for (const Phase phase : kAllPhases) {
      text += stage_line(phase, device.of(phase), interval.count());
    }
  }
  return text;
}

}  // namespace virnucpro
