#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/fields.hpp"
#include "base/time.hpp"
#include "observe/centred_cosine.hpp"
#include "observe/pipeline_metrics.hpp"

namespace virnucpro {

// A counter that several threads may raise while others read it. Its memory order is relaxed: a
// reader may see a counter's change before an earlier change of another counter.
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

// A sum of time to which several threads can add.
class TimeCounter {
 public:
  void add(double seconds) noexcept { nanoseconds_.add(static_cast<std::uint64_t>(seconds * 1e9)); }
  double seconds() const noexcept { return static_cast<double>(nanoseconds_.get()) * 1e-9; }
  void reset() noexcept { nanoseconds_.reset(); }

 private:
  Counter nanoseconds_;
};

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

// The time that the host's threads spend on each task, summed over the threads.
struct HostTimes {
  TimeCounter read;       // includes decompression
  TimeCounter translate;  // includes tokenizing
  TimeCounter journal;
  TimeCounter tables;
};

// Counts close calls: chunks whose virus call a small error could change. They are computed again.
// `Value` is a Counter during the run, and a number in telemetry.
template <typename Value>
struct CloseCallFigures {
  Value chunks{};      // all checked chunks, close or not
  Value recomputed{};  // chunks computed again
  Value frames{};      // frames computed again
  Value esm_tokens{};
  Value changed{};  // chunks whose call changed
  VIRNUCPRO_FIELDS(chunks, recomputed, frames, esm_tokens, changed);
};
using CloseCallCounters = CloseCallFigures<Counter>;

// Statistics of the differences between logits. One thread may add while other threads read.
class ErrorSums {
 public:
  void add(double error) noexcept {
    count_.add();
    set(sum_, sum_.load(std::memory_order_relaxed) + error);
    set(squares_, squares_.load(std::memory_order_relaxed) + error * error);
    set(largest_, std::max(largest_.load(std::memory_order_relaxed), std::abs(error)));
  }
  std::uint64_t count() const noexcept { return count_.get(); }
  // The following functions return 0 if no difference was added.
  double mean() const noexcept { return over_count(sum_); }
  double rms() const noexcept { return std::sqrt(over_count(squares_)); }
  double largest() const noexcept { return largest_.load(std::memory_order_relaxed); }
  void reset() noexcept {
    count_.reset();
    for (auto* value : {&sum_, &squares_, &largest_}) set(*value, 0);
  }

 private:
  static void set(std::atomic<double>& value, double to) noexcept {
    value.store(to, std::memory_order_relaxed);
  }
  double over_count(const std::atomic<double>& sum) const noexcept {
    const std::uint64_t count = count_.get();
    return count == 0 ? 0 : sum.load(std::memory_order_relaxed) / static_cast<double>(count);
  }

  Counter count_;
  std::atomic<double> sum_{0};
  std::atomic<double> squares_{0};
  std::atomic<double> largest_{0};
};

inline constexpr std::size_t kShadowStrata = 4;

// Counts the chunks of one stratum, without close calls. `Value` is as in CloseCallFigures.
template <typename Value>
struct StratumFigures {
  Value chunks{};
  Value sampled{};  // chunks computed in the check precision as well
  Value changed{};  // sampled chunks whose call differs in the check precision
  VIRNUCPRO_FIELDS(chunks, sampled, changed);
};

// Counts of the shadow check (run/shadow_check.hpp). In a stratum, all calls would change at about
// the same error of the logits.
struct ShadowCounters {
  using Stratum = StratumFigures<Counter>;
  std::array<Stratum, kShadowStrata> strata;
  Counter esm_tokens;        // tokens of all sampled chunks
  ErrorSums logits;          // the run's logits minus those in the check precision
  CentredCosine embeddings;  // compares ESM-2's embeddings in the two precisions

  std::uint64_t sampled() const noexcept;  // sum over all strata
};

// Counters of a run's progress, raised by the code that does the work. Only a run that starts over
// resets them. Rows that are dropped because their input is damaged stay counted.
struct RunCounters {
  Counter input_bytes;          // bytes of the input files read so far, as stored
  Counter input_bytes_total;    // sizes of all input files; 0: unknown because some are pipes
  Counter sequences;            // sequences read
  Counter one_chunk_sequences;  // sequences cut into a single chunk
  Counter sequences_scored;     // sequences that this run scored with all their frames
  Counter sequences_known;      // sequences read now, but scored before a resume
  Counter bases;                // bases of the sequences read
  Counter chunks;               // chunks cut
  Counter chunks_known;         // chunks cut now, but scored before a resume
  Counter chunks_framed;        // chunks whose frames were counted
  Counter chunks_with_frames;   // chunks with a stop-free frame
  Counter frames;               // stop-free frames
  Counter frames_scored;        // frames with scores; each occurrence of a frame counts
  Counter frames_given_up;      // frames without scores: no worker could compute them
  Counter workers;              // workers that are computing
  CloseCallCounters close_calls;
  ShadowCounters shadow;
  HostTimes host;
  PipelineMetrics pipeline;  // the computed batches

  // The plain counters that reset() sets to 0. It also resets close_calls, shadow, host and
  // pipeline. The list leaves out "workers", which keeps its value.
  VIRNUCPRO_FIELDS(input_bytes, input_bytes_total, sequences, one_chunk_sequences, sequences_scored,
                   sequences_known, bases, chunks, chunks_known, chunks_framed, chunks_with_frames,
                   frames, frames_scored, frames_given_up);
  // Resets all measurements except the number of workers.
  void reset();
};

}  // namespace virnucpro
