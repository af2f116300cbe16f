#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "observe/trace_part.hpp"

namespace virnucpro {

// Begin and end a nested range of the calling thread in NVIDIA's profilers (Nsight), with the batch
// as payload. Without a profiler or without CUDA, the functions do nothing.
void push_nvtx_range(const char* name, std::uint64_t batch) noexcept;
void pop_nvtx_range() noexcept;

class Cupti;

// A trace's limits, counted from the first batch. Batches that begin after a limit are not traced.
struct TraceLimit {
  std::uint64_t batches = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

struct TraceSettings {
  TraceLimit limit{};   // used by the run, which tells the workers which batches to trace
  std::string cupti{};  // path of CUPTI; empty: the loader looks for it
};

// The trace of a run, with a part for each process; this process is first.
struct Trace {
  struct Process {
    int id = 0;
    std::string name;
    TracePart part;
  };

  std::uint64_t begin = 0;     // when recording began
  std::uint64_t end = 0;       // when recording ended
  bool reached_limit = false;  // false: the run ended before the limit
  std::vector<Process> processes{};
};

// Records the work of this process's threads and its GPU, from start() until stop() or the limit. A
// process has one tracer, here(), for all its code. A tracer that is off only reads a flag.
class Tracer {
 public:
  static Tracer& here();

  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
  // Starts recording and forgets earlier records.
  void start(TraceSettings settings);
  // Also records the kernels of this process's GPU. Must be called before the GPU is opened. If
  // the kernels cannot be recorded, the log has a warning with the reason.
  void trace_kernels();
  void stop();
  TraceSettings settings() const;

  // Records a span of the calling thread that began at `begin` (trace_now()) and ends now.
  void record(const char* name, std::uint64_t begin, std::uint64_t batch) noexcept;
  // All that the thread launches on the GPU between these two functions belongs to `batch`.
  void begin_launches(std::uint64_t batch) const;
  void end_launches() const;

  // Call admit() before a batch is computed, and finish() when its results are there. admit()
  // returns true if the batch is traced. Recording stops with the last traced batch. Batch numbers
  // start at 0.
  bool admit(std::uint64_t batch);
  void finish(std::uint64_t batch);
  bool has_reached_limit() const;

  // Returns everything that this process recorded since the last drain().
  TracePart drain();
  // Adds the records of another process of the run.
  void add(int process, const std::string& name, const TracePart& part);
  // Returns all records. Recording must be off; later records are dropped.
  Trace drain_all();

 private:
  struct Other {
    int id = 0;
    std::string name;
    TraceStore store{};
  };

  Tracer() = default;
  bool is_beyond_limit(std::uint64_t batch) const;
  void collect_kernels();
  void end();

  std::atomic<bool> is_on_{false};
  std::unique_ptr<Cupti> cupti_;  // used only by the thread that uses the GPU
  mutable std::mutex mutex_;
  TraceSettings settings_;
  std::uint64_t begin_ = 0;  // 0: records are dropped
  std::uint64_t end_ = 0;
  std::optional<std::uint64_t> first_batch_;  // when the first batch was admitted
  std::uint64_t end_batch_ = kNoBatch;        // the first batch that is not traced
  std::uint64_t open_batches_ = 0;
  bool reached_limit_ = false;
  TraceStore store_;
  std::vector<Other> others_;
};

// Records its scope in the trace and in NVIDIA's profilers. `name` must be a string literal,
// because only the pointer is kept.
class TraceSpan {
 public:
  explicit TraceSpan(const char* name, std::uint64_t batch = kNoBatch) noexcept
      : name_(name), batch_(batch), begin_(Tracer::here().is_on() ? trace_now() : 0) {
    push_nvtx_range(name, batch);
  }
  ~TraceSpan() {
    pop_nvtx_range();
    if (begin_ != 0) Tracer::here().record(name_, begin_, batch_);
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  const char* const name_;
  const std::uint64_t batch_;
  const std::uint64_t begin_;  // 0: not recorded
};

// Marks all that its scope launches on the GPU as part of `batch`.
class TracedLaunches {
 public:
  explicit TracedLaunches(std::uint64_t batch) : is_on_(Tracer::here().is_on()) {
    if (is_on_) Tracer::here().begin_launches(batch);
  }
  ~TracedLaunches() {
    if (is_on_) Tracer::here().end_launches();
  }
  TracedLaunches(const TracedLaunches&) = delete;
  TracedLaunches& operator=(const TracedLaunches&) = delete;

 private:
  const bool is_on_;
};

}  // namespace virnucpro
