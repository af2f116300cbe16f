#pragma once

#include <chrono>

namespace virnucpro {

// Measures the seconds since its construction, by a clock that never steps back.
class StopWatch {
 public:
  StopWatch() : begin_(std::chrono::steady_clock::now()) {}

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace virnucpro
