#pragma once

#include <deque>
#include <optional>

namespace virnucpro {

// Measures how fast a count grew in the last minute, or in the last eight steps if these took more
// than a minute. A step is the moment when the count grows, for example by a batch. The rate is
// measured from step to step, so the warm-up before the first step does not count. Times are in
// seconds.
class MovingRate {
 public:
  // Adds the count at a time. If the count falls, the run started over: drops all steps.
  void add(double time, double count);

  // Returns the rate; empty for fewer than three steps or two seconds. The rate stays constant
  // until the next step is due, and falls when that step is overdue.
  std::optional<double> per_second(double now) const;
  // Returns the time since the last step, at most the mean time between steps. The forecast
  // subtracts the returned time from the time left at the last step.
  double since_step(double now) const;

 private:
  struct Step {
    double time = 0;
    double count = 0;
  };
  double seconds_a_step() const;

  double count_ = 0;
  std::deque<Step> steps_;
};

}  // namespace virnucpro
