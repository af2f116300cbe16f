#include "validate/measure/timer.hpp"

namespace virnucpro {

std::vector<double> time_repeats(const TimerSettings& settings, const std::function<void()>& work,
                                 const Cancel& cancel) {
  for (std::size_t i = 0; i < settings.warm_ups; ++i) {
    cancel.check();
    work();
  }
  std::vector<double> seconds;
  const StopWatch all;
  while (seconds.size() < settings.least_repeats || all.seconds() < settings.least_seconds) {
    cancel.check();
    const StopWatch one;
    work();
    seconds.push_back(one.seconds());
  }
  return seconds;
}

}  // namespace virnucpro
