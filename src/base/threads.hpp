#pragma once

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

// Names the calling thread for top, debuggers and traces; at most 15 letters.
inline void name_thread(const char* name) {
  ::pthread_setname_np(::pthread_self(), name);
}

// While an object of this class exists, the calling thread and the threads that it starts block all
// signals from outside. So only the first thread gets signals. A handler must never run on a thread
// that computes: oneDNN's matrix products let the stack pointer point into the heap (its issue
// 4845), so a handler would damage the heap. Signals of a thread's own faults and limits (SIGSEGV,
// SIGXCPU) are not blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t outside;
    ::sigfillset(&outside);
    for (const int own :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ}) {
      ::sigdelset(&outside, own);
    }
    ::pthread_sigmask(SIG_SETMASK, &outside, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// Starts a thread. All code starts threads with this function or start_threads().
template <typename Run>
std::thread start_thread(Run run) {
  const SignalsBlocked blocked;
  return std::thread(std::move(run));
}

// Starts threads until `threads` has `count` of them; thread i calls run(i). If a start fails,
// calls stop(), which must end and join the started threads. Errors: kOutOfMemory.
template <typename Run, typename Stop>
void start_threads(std::vector<std::thread>& threads, std::size_t count, const Run& run,
                   const Stop& stop) {
  threads.reserve(count);
  const SignalsBlocked blocked;
  try {
    while (threads.size() < count) threads.emplace_back(run, threads.size());
  } catch (const std::system_error& error) {
    const std::size_t started = threads.size();
    stop();
    throw Error(ErrorKind::kOutOfMemory, fmt::format("only {} of {} threads could be started: {}",
                                                     started, count, error.code().message()));
  }
}

// Calls an action on its own thread, once per interval. The first call comes after one interval.
// The destructor waits for a running action, but not for the interval. The action must not throw.
class Repeater {
 public:
  Repeater(std::chrono::milliseconds interval, std::function<void()> action)
      : interval_(interval),
        action_(std::move(action)),
        thread_(start_thread([this] { repeat(); })) {}
  ~Repeater() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_one();
    thread_.join();
  }
  Repeater(const Repeater&) = delete;
  Repeater& operator=(const Repeater&) = delete;

 private:
  void repeat() {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, interval_, [this] { return stop_; })) {
      lock.unlock();
      action_();
      lock.lock();
    }
  }

  const std::chrono::milliseconds interval_;
  const std::function<void()> action_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;  // last, because the thread uses all members above
};

}  // namespace virnucpro
