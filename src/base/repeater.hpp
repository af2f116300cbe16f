#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/threads.hpp"

namespace virnucpro {

// Calls an action once per interval, on its own thread; the first call comes after one interval.
// The destructor waits for a running action, not for the interval. The action must not throw.
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
