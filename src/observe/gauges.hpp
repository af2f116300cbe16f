#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/fields.hpp"
#include "observe/statistic.hpp"

namespace virnucpro {

// The values that a sample measures of a GPU. No other code lists them: sums by phase, telemetry,
// merged runs and the report loop over these fields. The monitor's log has columns of these names.
template <typename Value>
struct GpuGauges {
  Value utilization_percent{};  // share of time with any kernel running
  Value memory_used_bytes{};    // of all processes
  Value power_w{};
  Value temperature_c{};
  Value sm_clock_mhz{};
  VIRNUCPRO_FIELDS(utilization_percent, memory_used_bytes, power_w, temperature_c, sm_clock_mhz);
};

// The report shows the gauges in the order of their units.
enum class GaugeUnit : std::uint8_t { kPercent, kWatts, kBytes, kCelsius, kMegahertz };

// A gauge's name and unit in the report.
struct GaugeWords {
  std::string_view label;
  GaugeUnit unit;
  bool is_plotted = false;
};

inline constexpr GpuGauges<GaugeWords> kGpuGauges{
    .utilization_percent = {"Utilisation", GaugeUnit::kPercent, true},
    .memory_used_bytes = {"Memory", GaugeUnit::kBytes, true},
    .power_w = {"Power", GaugeUnit::kWatts, true},
    .temperature_c = {"Temperature", GaugeUnit::kCelsius},
    .sm_clock_mhz = {"SM clock", GaugeUnit::kMegahertz}};

// The values that a sample measures of this process and its workers together.
template <typename Value>
struct HostGauges {
  Value cpu_percent{};  // percent of one processor
  Value rss_bytes{};
  VIRNUCPRO_FIELDS(cpu_percent, rss_bytes);
};

// Adds a sample's values, where they are known, to the gauges' statistics.
template <template <typename> typename Gauges>
void add_values(Gauges<Statistic>& statistics, const Gauges<std::optional<double>>& sample) {
  for_each_pair(statistics, sample,
                [](std::string_view, Statistic& statistic, const std::optional<double>& value) {
                  if (value) statistic.add(*value);
                });
}

template <template <typename> typename Gauges>
void combine(Gauges<Statistic>& sum, const Gauges<Statistic>& more) {
  for_each_pair(sum, more, [](std::string_view, Statistic& statistic, const Statistic& other) {
    statistic = combined(statistic, other);
  });
}

}  // namespace virnucpro
