#pragma once

#include <deque>
#include <optional>

namespace virnucpro {

// Measures how fast a count grew recently: over a minute, or over the last eight steps if they took
// longer. The count grows in steps (a batch, or a unit of the journal), so the rate is measured
// from step to step. The first step ends the warm-up; measuring starts there. Times are in seconds.
class MovingRate {
 public:
  // Adds a count. It falls only when a run starts over; measuring then starts over, too.
  void add(double time, double count);

  // Returns the rate; empty until enough was measured. The rate stays constant until the next step
  // is due, and falls when that step is overdue.
  std::optional<double> per_second(double now) const;
  // Returns the time since the last step, at most one usual step, for a countdown to subtract.
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
