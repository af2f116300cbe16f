#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "observe/pipeline_metrics.hpp"

namespace virnucpro {

// A count that one thread or several raise and another reads now and then. Relaxed: it orders
// nothing, and a reader may see one count a moment before another.
class Counter {
 public:
  void add(std::uint64_t amount = 1) noexcept {
    value_.fetch_add(amount, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Time that several threads add to.
class TimeCounter {
 public:
  void add(double seconds) noexcept { nanoseconds_.add(static_cast<std::uint64_t>(seconds * 1e9)); }
  double seconds() const noexcept { return static_cast<double>(nanoseconds_.get()) * 1e-9; }
  void reset() noexcept { nanoseconds_.reset(); }

 private:
  Counter nanoseconds_;
};

// Adds the time of a scope.
class TimedScope {
 public:
  explicit TimedScope(TimeCounter& counter) noexcept : counter_(counter) {}
  ~TimedScope() {
    counter_.add(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count());
  }
  TimedScope(const TimedScope&) = delete;
  TimedScope& operator=(const TimedScope&) = delete;

 private:
  TimeCounter& counter_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Where the host's threads spend their time; several of a kind add up.
struct HostTimes {
  TimeCounter read;       // and decompress
  TimeCounter translate;  // and tokenize
  TimeCounter journal;
  TimeCounter tables;
};

// How far a run has come. Whoever does the work raises them; they never fall, also not when an
// input turns out damaged and its rows are dropped, but where the run starts over.
struct RunCounters {
  Counter input_bytes;  // of the inputs' files, compressed or not, up to what was read of them
  Counter input_bytes_total;  // the sizes of all of them; 0: not known, as some are pipes
  Counter sequences;          // read
  Counter sequences_scored;   // by this run, with all their frames
  Counter sequences_known;    // of these, whose scores a resumed run had already
  Counter bases;              // letters of them
  Counter chunks;             // cut
  Counter chunks_known;       // of these, whose scores a resumed run had already
  Counter chunks_framed;      // whose frames are counted
  Counter frames;             // stop-free
  Counter frames_scored;      // with their scores back, each occurrence of a frame counted
  Counter frames_given_up;    // that no worker survived: they get none
  Counter workers;            // that compute
  HostTimes host;
  PipelineMetrics pipeline;  // what was computed

  // A run that starts over counts anew; its workers stay.
  void reset();
};

}  // namespace virnucpro
