#include "measure/timing/stage_rates.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace virnucpro {
namespace {

double seconds_a_sequence(const StageRate& stage) {
  return 1 / stage.sequences_per_second;
}

double seconds_of(const std::vector<StageRate>& stages) {
  double seconds = 0;
  for (const StageRate& stage : stages) seconds += seconds_a_sequence(stage);
  return seconds;
}

template <typename Is>
std::vector<StageRate> those_that(const std::vector<StageRate>& stages, const Is& is) {
  std::vector<StageRate> some;
  std::ranges::copy_if(stages, std::back_inserter(some), is);
  return some;
}

// Names the slowest of the stages `together`, which share a thread or a device.
void name_largest(const std::vector<StageRate>& together, SlowestStage& slowest) {
  const auto largest = std::ranges::max_element(together, {}, seconds_a_sequence);
  slowest.name = largest->name;
  slowest.share = seconds_a_sequence(*largest) / seconds_of(together);
}

// Returns the stages that limit the host: one stage on a thread of its own, or all stages that
// share many threads. Sets `rate` to their sequences per second.
std::vector<StageRate> slowest_of_host(const std::vector<StageRate>& stages, std::size_t threads,
                                       double& rate) {
  const auto shared = those_that(stages, [](const StageRate& stage) {
    return stage.clock == StageClock::kHost && stage.on_many_threads;
  });
  std::vector<StageRate> slowest = shared;
  rate = shared.empty() ? std::numeric_limits<double>::infinity()
                        : static_cast<double>(threads) / seconds_of(shared);
  for (const StageRate& stage : stages) {
    const bool alone = stage.clock == StageClock::kHost && !stage.on_many_threads;
    if (!alone || stage.sequences_per_second >= rate) continue;
    rate = stage.sequences_per_second;
    slowest = {stage};
  }
  return slowest;
}

}  // namespace

SlowestStage slowest_stage(const std::vector<StageRate>& stages, std::size_t threads,
                           std::size_t devices) {
  const auto of_device =
      those_that(stages, [](const StageRate& stage) { return stage.clock == StageClock::kDevice; });
  SlowestStage slowest{.device_sequences_per_second =
                           static_cast<double>(devices) / seconds_of(of_device)};
  const auto of_host = slowest_of_host(stages, threads, slowest.host_sequences_per_second);
  const bool host_is_slower =
      slowest.host_sequences_per_second < slowest.device_sequences_per_second;
  slowest.clock = host_is_slower ? StageClock::kHost : StageClock::kDevice;
  name_largest(host_is_slower ? of_host : of_device, slowest);
  return slowest;
}

}  // namespace virnucpro
