#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/cancel.hpp"
#include "measure/timing/predict_trial.hpp"

namespace virnucpro {

// These functions repeat measurements: time_repeats() for one piece of work, take_turns() to
// compare several sides, such as two programs. Turns let disturbances of the machine affect all
// sides equally. spread.hpp evaluates the repeats.

// How often to repeat a piece of work. Warm-ups, which fill caches and settle clocks, come first.
struct TimerSettings {
  std::size_t warm_ups = 1;
  std::size_t least_repeats = 3;
  double least_seconds = 0.5;  // least sum of the times of all repeats
};

// Repeats the work and returns the seconds of each repeat. `work` must return only when all its
// work is done, also on a device. Errors: those of `work`; between repeats those of Cancel.
std::vector<double> time_repeats(const TimerSettings& settings, const std::function<void()>& work,
                                 const Cancel& cancel);

struct Turns {
  std::size_t sides = 2;
  std::size_t repeats = 1;
  bool alternate = false;  // true: every second turn is in reverse order
};

// Calls `run` once for each side in each turn, with the side's index. Errors: those of `run`.
void take_turns(const Turns& turns, const std::function<void(std::size_t side)>& run);

// The repeats of one side: at least one run of predict, all with the same settings.
struct TrialRepeats {
  std::vector<Trial> runs{};

  // Returns a figure's value in each run.
  std::vector<double> each(const std::function<double(const Trial&)>& figure) const;
  std::vector<double> seconds() const;  // time of each run, from start to exit
  // Returns each run's ESM-2 tokens a second while it computed.
  std::vector<double> esm_rates() const { return each(&Trial::esm_tokens_per_second); }
  double least_computing_seconds() const;
};

// Calls `run` in turns, and returns the runs by side. Errors: those of `run`.
std::vector<TrialRepeats> trials_in_turns(const Turns& turns,
                                          const std::function<Trial(std::size_t side)>& run);

}  // namespace virnucpro
