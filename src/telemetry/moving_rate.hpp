#pragma once

#include <deque>
#include <optional>

namespace virnucpro {

// The rate at which a count has grown of late: over a minute, and over eight steps where those take
// longer. It grows in steps, a batch each or a unit of the journal, and is measured from step to
// step. The first step ends the warm-up and is what the rest is measured from. Times are seconds.
class MovingRate {
 public:
  // `count` never falls, but where a run starts over; then so does this.
  void add(double time, double count);

  // Empty until enough was measured. While the next step is due the rate stays as it was; when it
  // is overdue, it falls.
  std::optional<double> per_second(double now) const;
  // Of the time since the last step, what the rate has in it: a countdown goes on from there.
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
