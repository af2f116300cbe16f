#pragma once

#include <atomic>
#include <cstdint>

namespace virnucpro {

// A count that one thread or several raise and another reads now and then. Relaxed: it orders
// nothing, and a reader may see one count a moment before another.
class Counter {
 public:
  void add(std::uint64_t amount = 1) noexcept {
    value_.fetch_add(amount, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Time that several threads add to.
class TimeCounter {
 public:
  void add(double seconds) noexcept { nanoseconds_.add(static_cast<std::uint64_t>(seconds * 1e9)); }
  double seconds() const noexcept { return static_cast<double>(nanoseconds_.get()) * 1e-9; }

 private:
  Counter nanoseconds_;
};

// The workers' devices, from each one's first batch to its last; their seconds added up.
struct DeviceTime {
  Counter workers;
  TimeCounter waiting;  // for batches
  TimeCounter esm2;
  TimeCounter dnabert_s;
  TimeCounter rest;

  double busy() const noexcept { return esm2.seconds() + dnabert_s.seconds() + rest.seconds(); }
  double all() const noexcept { return waiting.seconds() + busy(); }
};

// How far a run has come. Whoever does the work raises them; they never fall, also not when an
// input turns out damaged and its rows are dropped.
struct RunCounters {
  Counter sequences;      // read
  Counter bases;          // letters of them
  Counter chunks;         // cut
  Counter frames;         // stop-free
  Counter frames_scored;  // with their scores back, each occurrence of a frame counted
  Counter batches;        // computed
  Counter esm_tokens;     // computed
  Counter dna_tokens;     // computed
  Counter budget_tokens;  // token budgets of the computed batches: what they could have held
  DeviceTime device;
};

}  // namespace virnucpro
