#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/cancel.hpp"
#include "validate/measure/predict_trial.hpp"

namespace virnucpro {

// How measurements are repeated. One piece of work alone: time_repeats(). Several sides that are
// compared: take_turns(), so that whatever else the machine does slows all of them alike. What
// repeats say together is in statistics.hpp.

// How long a piece of work is repeated. The warm-up is not counted: memory grows in it, caches
// fill, clocks settle.
struct TimerSettings {
  std::size_t warm_ups = 1;
  std::size_t least_repeats = 3;
  double least_seconds = 0.5;  // of all repeats together
};

// Does the work again and again, and gives the seconds of each repeat. The work must return when it
// is done, on a device too. Errors: the work's; Cancel's between repeats.
std::vector<double> time_repeats(const TimerSettings& settings, const std::function<void()>& work,
                                 const Cancel& cancel);

struct Turns {
  std::size_t sides = 2;
  std::size_t repeats = 1;
  bool alternate = false;  // every second turn goes from the last side to the first
};

// Calls `run` with the number of every side in every turn. Errors: those of `run`.
void take_turns(const Turns& turns, const std::function<void(std::size_t side)>& run);

// The repeats of one side: runs of predict with the same settings, one at least.
struct TrialRepeats {
  std::vector<Trial> runs{};

  // One figure of each run.
  std::vector<double> each(const std::function<double(const Trial&)>& figure) const;
  std::vector<double> seconds() const;  // from start to exit
  // ESM-2 tokens a second while the run computed.
  std::vector<double> esm_rates() const { return each(&Trial::esm_tokens_per_second); }
  double least_computing_seconds() const;
};

// The runs that `run` gives in turns, by side. Errors: those of `run`.
std::vector<TrialRepeats> trials_in_turns(const Turns& turns,
                                          const std::function<Trial(std::size_t side)>& run);

}  // namespace virnucpro
