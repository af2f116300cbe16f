#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads.hpp"

namespace virnucpro {

// Several threads work on the items of a serial source. Results come out in the source's order. At
// most `window` items are between source and consumer at any time.
//
// One thread at a time calls source(), in order; an empty result ends the stream. work(item) runs
// on `threads` threads. If source() or work() throws, next() throws the exception in place of that
// result, and the stream ends. The constructor throws kOutOfMemory if a thread cannot be started.
template <typename In, typename Out>
class OrderedPipeline {
 public:
  OrderedPipeline(std::size_t threads, std::size_t window,
                  std::function<std::optional<In>()> source, std::function<Out(In)> work,
                  const char* thread_name = "pipeline")
      : window_(window), source_(std::move(source)), work_(std::move(work)) {
    start_threads(
        threads_, threads,
        [this, thread_name](std::size_t) {
          name_thread(thread_name);
          serve();
        },
        [this] { stop(); });
  }

  ~OrderedPipeline() { stop(); }

  OrderedPipeline(const OrderedPipeline&) = delete;
  OrderedPipeline& operator=(const OrderedPipeline&) = delete;

  // Returns the next result in order; empty at the end of the stream.
  std::optional<Out> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return front_ready() || (ended_ && slots_.empty()); });
    if (slots_.empty()) return std::nullopt;
    Slot slot = std::move(slots_.front());
    slots_.pop_front();
    ++first_;
    lock.unlock();
    changed_.notify_all();
    if (slot.error) std::rethrow_exception(slot.error);
    return std::move(slot.value);
  }

 private:
  struct Slot {
    bool ready = false;
    std::optional<Out> value;
    std::exception_ptr error;
  };

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  bool front_ready() const { return !slots_.empty() && slots_.front().ready; }

  void serve() {
    while (std::optional<std::pair<std::size_t, In>> item = next_item()) {
      Slot result{.ready = true, .value = std::nullopt, .error = nullptr};
      try {
        result.value = work_(std::move(item->second));
      } catch (...) {
        result.error = std::current_exception();
      }
      put(item->first, std::move(result));
    }
  }

  // Waits until the window has space. Returns the source's next item and its number in the order.
  std::optional<std::pair<std::size_t, In>> next_item() {
    const std::lock_guard source_lock(source_mutex_);
    std::size_t place = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ended_ || slots_.size() < window_; });
      if (ended_) return std::nullopt;
      place = first_ + slots_.size();
    }
    std::optional<In> item;
    std::exception_ptr error;
    try {
      item = source_();
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      // If an earlier item failed meanwhile, this item is dropped.
      if (ended_) return std::nullopt;
      if (item || error) slots_.emplace_back();
      if (!item) ended_ = true;
      // Move the error, so that only the consumer owns the exception while this thread continues.
      if (error) {
        slots_.back() = Slot{.ready = true, .value = std::nullopt, .error = std::move(error)};
      }
    }
    if (!item) {
      changed_.notify_all();
      return std::nullopt;
    }
    return std::pair{place, std::move(*item)};
  }

  void put(std::size_t place, Slot result) {
    {
      const std::lock_guard lock(mutex_);
      if (place - first_ >= slots_.size()) return;  // dropped, because an earlier item failed
      if (result.error) {
        ended_ = true;
        slots_.resize(place - first_ + 1);
      }
      slots_[place - first_] = std::move(result);
    }
    changed_.notify_all();
  }

  const std::size_t window_;
  const std::function<std::optional<In>()> source_;
  const std::function<Out(In)> work_;

  std::mutex source_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slot> slots_;  // slots_[i] is item number first_ + i
  std::size_t first_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace virnucpro
