#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

enum class StageClock : std::uint8_t { kDevice, kHost };
constexpr std::string_view name_of(StageClock clock) {
  return clock == StageClock::kDevice ? "device" : "host";
}

// Where a run's time went. On the device the shares are of all workers' time between their first
// and last batch, and add up to 1; on the host of the run's time, beside the device's.
struct Stage {
  std::string_view name;  // "esm2"
  StageClock clock = StageClock::kDevice;
  double seconds = 0;
  double share = 0;
};

struct StageSurroundings {
  std::optional<double> utilization{};  // percent, of the GPU that was the least busy
  bool power_capped = false;
  bool on_gpu = false;
  bool spare_processors = false;  // more than --threads uses
};

struct Bottleneck {
  std::string_view stage;
  double share = 0;
  std::string_view cause;  // "host-bound"
  std::string advice;      // what to change, in options of this program
};

// What helps a host that is behind its workers; more threads alone where there are processors for
// them.
std::string_view host_advice(bool spare_processors);

// Every stage that takes over 30 % of its clock's time, the largest first, with what holds it back.
std::vector<Bottleneck> find_bottlenecks(const std::vector<Stage>& stages,
                                         const StageSurroundings& around);

}  // namespace virnucpro
