#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "base/error.hpp"

namespace virnucpro {

// Set once, from a signal handler or another thread; looked at between the records of an input and,
// with some delay, between the layers of a model.
class Cancel {
 public:
  // `signal` is SIGINT or SIGTERM, or 0 for a stop that is not the user's (another thread failed).
  void request(int signal) noexcept { request_at(signal, now()); }
  // The same, and nothing is worth its end any more.
  void request_now(int signal) noexcept {
    request_at(signal, now() - std::chrono::nanoseconds(kGrace).count());
  }
  bool requested() const noexcept { return requested_.load(std::memory_order_acquire); }

  // Throws Error(kInterrupted | kTerminated) once requested.
  void check() const;
  // The same once that was kGrace ago: for work that is worth its end, a batch above all.
  void check_late() const;
  bool late() const noexcept {
    return requested() && now() - requested_at_.load(std::memory_order_relaxed) >=
                              std::chrono::nanoseconds(kGrace).count();
  }

  static constexpr std::chrono::seconds kGrace{3};

 private:
  void request_at(int signal, std::int64_t when) noexcept {
    signal_.store(signal, std::memory_order_relaxed);
    requested_at_.store(when, std::memory_order_relaxed);
    requested_.store(true, std::memory_order_release);
  }

  // In a signal handler, too: clock_gettime() is one of the calls that may stand there.
  static std::int64_t now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

  std::atomic<std::int64_t> requested_at_{0};
  std::atomic<bool> requested_{false};
  std::atomic<int> signal_{0};
};

}  // namespace virnucpro
