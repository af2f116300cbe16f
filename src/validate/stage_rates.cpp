#include "validate/stage_rates.hpp"

#include <algorithm>

namespace virnucpro {
namespace {

double seconds_a_sequence(const StageRate& stage) {
  return 1 / stage.sequences_per_second;
}

double seconds_of(const std::vector<StageRate>& stages, StageClock clock) {
  double seconds = 0;
  for (const StageRate& stage : stages) {
    if (stage.clock == clock) seconds += seconds_a_sequence(stage);
  }
  return seconds;
}

}  // namespace

SlowestStage slowest_stage(const std::vector<StageRate>& stages, std::size_t threads,
                           std::size_t devices) {
  const double host = seconds_of(stages, StageClock::kHost);
  const double device = seconds_of(stages, StageClock::kDevice);
  SlowestStage slowest{.host_sequences_per_second = static_cast<double>(threads) / host,
                       .device_sequences_per_second = static_cast<double>(devices) / device};
  const bool host_is_slower =
      slowest.host_sequences_per_second < slowest.device_sequences_per_second;
  slowest.clock = host_is_slower ? StageClock::kHost : StageClock::kDevice;
  for (const StageRate& stage : stages) {
    const double share = seconds_a_sequence(stage) / (host_is_slower ? host : device);
    if (stage.clock != slowest.clock || share <= slowest.share) continue;
    slowest.name = stage.name;
    slowest.share = share;
  }
  return slowest;
}

}  // namespace virnucpro
