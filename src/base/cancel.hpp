#pragma once

#include <atomic>

#include "base/error.hpp"

namespace virnucpro {

// Set once, from a signal handler or another thread; looked at between the layers of a model and
// between the records of an input.
class Cancel {
 public:
  // `signal` is SIGINT or SIGTERM, or 0 for a stop that is not the user's (another thread failed).
  void request(int signal) noexcept {
    signal_.store(signal, std::memory_order_relaxed);
    requested_.store(true, std::memory_order_release);
  }
  bool requested() const noexcept { return requested_.load(std::memory_order_acquire); }

  // Throws Error(kInterrupted | kTerminated) once requested.
  void check() const;

 private:
  std::atomic<bool> requested_{false};
  std::atomic<int> signal_{0};
};

}  // namespace virnucpro
