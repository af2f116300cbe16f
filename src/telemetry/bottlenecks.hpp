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
  bool spare_processors = false;  // more processors are usable than --threads
};

// Returns true if more processors are usable than the run's --threads.
bool has_spare_processors(const RunTelemetry& telemetry);
// Returns advice for a host that cannot keep its workers busy: more threads if processors are free.
std::string_view host_advice(bool spare_processors);

// Returns the stages that slowed a run down, the largest share first, with cause and advice. Such a
// stage has a share over 30 %. A host stage, except "tables", counts only if devices wait. If a GPU
// is idle for more than 20 % of the time, one stage is returned even with a small share. If the GPU
// mostly waits for batches, this stage is "waiting". If the GPU is mostly idle between the kernels
// of a batch, this stage is the model that takes more of the time.
std::vector<RunTelemetry::Bottleneck> find_bottlenecks(
    const std::vector<RunTelemetry::Stage>& stages, const StageSurroundings& around);

}  // namespace virnucpro
