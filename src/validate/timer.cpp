#include "validate/timer.hpp"

namespace virnucpro {

Timing time_repeats(const TimerSettings& settings,
                    const std::function<std::optional<double>()>& work, const Cancel& cancel) {
  for (std::size_t i = 0; i < settings.warm_ups; ++i) {
    cancel.check();
    work();
  }
  Timing timing;
  const StopWatch all;
  while (timing.host.size() < settings.least_repeats || all.seconds() < settings.least_seconds) {
    cancel.check();
    const StopWatch one;
    const std::optional<double> device = work();
    timing.host.push_back(one.seconds());
    if (device) timing.device.push_back(*device);
  }
  return timing;
}

}  // namespace virnucpro
