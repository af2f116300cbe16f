#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/cancel.hpp"

namespace virnucpro {

// How long some work is repeated. The warm-up, in which memory grows, caches fill and clocks
// settle, is not counted.
struct TimerSettings {
  std::size_t warm_ups = 1;
  std::size_t least_repeats = 3;
  double least_seconds = 0.5;  // of all repeats together
};

// Repeats the work and returns the seconds of each repeat. The work must only return when it is
// done, also on a device. Errors: the work's; Cancel's between repeats.
std::vector<double> time_repeats(const TimerSettings& settings, const std::function<void()>& work,
                                 const Cancel& cancel);

class StopWatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace virnucpro
