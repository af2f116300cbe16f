#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "telemetry/run_telemetry.hpp"

namespace virnucpro {

enum class StageClock : std::uint8_t { kDevice, kHost };
constexpr std::string_view name_of(StageClock clock) {
  return clock == StageClock::kDevice ? "device" : "host";
}

struct StageSurroundings {
  std::optional<double> utilization{};  // percent, of the least busy GPU
  bool power_capped = false;
  bool on_gpu = false;
  bool spare_processors = false;  // the machine has more than --threads uses
};

// Returns advice for a host that cannot keep its workers busy. More threads help only if there are
// processors for them.
std::string_view host_advice(bool spare_processors);

// Returns the stages that held a run back, the largest share first, with cause and advice. These
// stages take over 30 % of their clock's time; host stages count only if devices wait. If a GPU is
// under 80 % busy, by NVML or by its own events, the cause is named even if its share is small.
// That cause is waiting, or the larger model if its kernels come too slowly.
std::vector<RunTelemetry::Bottleneck> find_bottlenecks(
    const std::vector<RunTelemetry::Stage>& stages, const StageSurroundings& around);

}  // namespace virnucpro
