#pragma once

#include <atomic>
#include <cstdint>

#include "base/stop_watch.hpp"
#include "observe/pipeline_metrics.hpp"

namespace virnucpro {

// A counter that several threads can raise and another reads. Relaxed: it orders nothing, so a
// reader may see one counter's change before another's.
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

// A sum of time, to which several threads can add.
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
  ~TimedScope() { counter_.add(watch_.seconds()); }
  TimedScope(const TimedScope&) = delete;
  TimedScope& operator=(const TimedScope&) = delete;

 private:
  TimeCounter& counter_;
  const StopWatch watch_;
};

// The time that the host's threads spend on each task; threads of one kind add up.
struct HostTimes {
  TimeCounter read;       // includes decompression
  TimeCounter translate;  // includes tokenizing
  TimeCounter journal;
  TimeCounter tables;
};

// A run's progress. The code that does the work raises them. They fall only if the run starts over,
// not if an input is damaged and its rows are dropped.
struct RunCounters {
  Counter input_bytes;        // bytes of the input files read so far, as stored
  Counter input_bytes_total;  // sizes of all input files; 0: unknown because some are pipes
  Counter sequences;          // read
  Counter sequences_scored;   // by this run, with all their frames
  Counter sequences_known;    // of these, scored before a resume
  Counter bases;              // of the sequences read
  Counter chunks;             // cut
  Counter chunks_known;       // of these, scored before a resume
  Counter chunks_framed;      // whose frames were counted
  Counter frames;             // stop-free
  Counter frames_scored;      // with scores; each occurrence of a frame counts
  Counter frames_given_up;    // without scores: no worker could compute them
  Counter workers;            // that are computing
  HostTimes host;
  PipelineMetrics pipeline;  // what was computed

  // For a run that starts over; the number of workers stays.
  void reset();
};

}  // namespace virnucpro
