#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "telemetry/bottlenecks.hpp"

namespace virnucpro {

// The speed of one stage of a run.
struct StageRate {
  std::string name{};  // "translate"
  StageClock clock = StageClock::kHost;
  double sequences_per_second = 0;  // rate of one thread or one device
  bool on_many_threads = false;     // false: on one thread, while other threads run other stages
};

// The slower side of a run, host or device, and the stage that takes most of that side's time.
struct SlowestStage {
  StageClock clock = StageClock::kHost;
  std::string name{};
  double host_sequences_per_second = 0;    // rate of all threads, or of a slower one-thread stage
  double device_sequences_per_second = 0;  // rate of all devices together
  double share = 0;                        // the stage's share of the slower side's time
};

// Returns the slowest stage. Stages of the host run in parallel, stages of a device one after the
// other. Needs a stage of the host and a stage of a device, with rates above 0.
SlowestStage slowest_stage(const std::vector<StageRate>& stages, std::size_t threads,
                           std::size_t devices);

}  // namespace virnucpro
