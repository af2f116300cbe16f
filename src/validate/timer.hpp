#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/cancel.hpp"

namespace virnucpro {

// How long a piece of work is repeated. The warm-up is not counted: memory grows in it, caches
// fill, clocks settle.
struct TimerSettings {
  std::size_t warm_ups = 1;
  std::size_t least_repeats = 3;
  double least_seconds = 0.5;  // of all repeats together
};

// The seconds of each repeat.
struct Timing {
  std::vector<double> host;    // from its beginning until the work says that it is done
  std::vector<double> device;  // by the device's own events; empty where there are none
};

// Does the work again and again. It must return when it is done, on the device too, and returns how
// long the device says it took, if a device does. Errors: the work's; Cancel's between repeats.
Timing time_repeats(const TimerSettings& settings,
                    const std::function<std::optional<double>()>& work, const Cancel& cancel);

class StopWatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace virnucpro
