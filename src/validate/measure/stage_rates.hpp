#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/bottlenecks.hpp"

namespace virnucpro {

// How fast one stage of a run is by itself.
struct StageRate {
  std::string name{};  // "translate"
  StageClock clock = StageClock::kHost;
  double sequences_per_second = 0;  // of one thread, or of one device
  bool on_many_threads = false;     // else one thread does it, beside those of other stages
};

// Which side of a run is the slower one, and what takes most of its time.
struct SlowestStage {
  StageClock clock = StageClock::kHost;
  std::string name{};
  double host_sequences_per_second = 0;    // of its slowest thread, or of the many together
  double device_sequences_per_second = 0;  // of all devices
  double share = 0;                        // of the side's time that the stage takes
};

// Of stages of which one at least is of the host and one of a device; all rates are above 0. Stages
// of the host go on beside each other, those of a device one after the other.
SlowestStage slowest_stage(const std::vector<StageRate>& stages, std::size_t threads,
                           std::size_t devices);

}  // namespace virnucpro
