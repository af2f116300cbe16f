#include "measure/timing/turns.hpp"

#include <algorithm>

#include "base/time.hpp"

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

void take_turns(const Turns& turns, const std::function<void(std::size_t side)>& run) {
  for (std::size_t repeat = 0; repeat < turns.repeats; ++repeat) {
    const bool backwards = turns.alternate && repeat % 2 != 0;
    for (std::size_t k = 0; k < turns.sides; ++k) run(backwards ? turns.sides - 1 - k : k);
  }
}

std::vector<double> TrialRepeats::each(const std::function<double(const Trial&)>& figure) const {
  std::vector<double> values(runs.size());
  std::ranges::transform(runs, values.begin(), figure);
  return values;
}

std::vector<double> TrialRepeats::seconds() const {
  return each([](const Trial& run) { return run.end.seconds; });
}

double TrialRepeats::least_computing_seconds() const {
  return std::ranges::min(each(&Trial::computing_seconds));
}

std::vector<TrialRepeats> trials_in_turns(const Turns& turns,
                                          const std::function<Trial(std::size_t side)>& run) {
  std::vector<TrialRepeats> sides(turns.sides);
  take_turns(turns, [&](std::size_t side) { sides[side].runs.push_back(run(side)); });
  return sides;
}

}  // namespace virnucpro
