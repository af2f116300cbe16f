#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "base/error.hpp"

namespace virnucpro {

// A request to stop, set by a signal handler or another thread. Code that reads inputs checks for
// the request between records. Models check for it, with some delay, between layers.
class Cancel {
 public:
  // `signal` is SIGINT, SIGTERM or SIGHUP; 0 if another thread failed.
  void request(int signal) noexcept { request_at(signal, now()); }
  // Like request(), but check_late() throws at once instead of after the time kGrace.
  void request_now(int signal) noexcept {
    request_at(signal, now() - std::chrono::nanoseconds(kGrace).count());
  }
  bool requested() const noexcept { return requested_.load(std::memory_order_acquire); }
  // True if this signal only repeats the request. Slurm sends SIGTERM to each process of a job;
  // `srun` and the job's script pass signals on, too, so the program gets the same signal several
  // times within a second. A second SIGINT is a new request: a user has pressed Ctrl-C again.
  bool repeats(int signal) const noexcept {
    const int first = signal_.load(std::memory_order_relaxed);
    return requested() && first != 0 && !(first == SIGINT && signal == SIGINT) &&
           now() - requested_at_.load(std::memory_order_relaxed) <
               std::chrono::nanoseconds(kRepeats).count();
  }

  // Throws kInterrupted or kTerminated if a stop was requested.
  void check() const {
    if (!requested()) return;
    switch (signal_.load(std::memory_order_relaxed)) {
      case SIGTERM:
        throw Error(ErrorKind::kTerminated, "by SIGTERM");
      case SIGHUP:
        throw Error(ErrorKind::kTerminated, "by SIGHUP, which a terminal sends when it is closed");
      default:
        throw Error(ErrorKind::kInterrupted, "by the user");
    }
  }
  // Like check(), but does not throw in the time kGrace after the request, so that the current
  // batch can be finished.
  void check_late() const {
    if (late()) check();
  }
  bool late() const noexcept {
    return requested() && now() - requested_at_.load(std::memory_order_relaxed) >=
                              std::chrono::nanoseconds(kGrace).count();
  }

  static constexpr std::chrono::seconds kGrace{3};
  static constexpr std::chrono::seconds kRepeats{1};

 private:
  void request_at(int signal, std::int64_t when) noexcept {
    signal_.store(signal, std::memory_order_relaxed);
    requested_at_.store(when, std::memory_order_relaxed);
    requested_.store(true, std::memory_order_release);
  }

  // A signal handler may call this function, because clock_gettime() is async-signal-safe.
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
