#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/nvtx.hpp"
#include "observe/trace_clock.hpp"
#include "observe/trace_part.hpp"

namespace virnucpro {

class Cupti;

// How long a run is traced, from its first batch on: the batches that begin before either is
// reached.
struct TraceLimit {
  std::uint64_t batches = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

struct TraceSettings {
  TraceLimit limit{};   // a worker has none: it is told which batches are traced
  std::string cupti{};  // the library; empty: the one that the loader finds
};

// What was recorded of a run, by process: this one first.
struct Trace {
  struct Process {
    int id = 0;
    std::string name;
    TracePart part;
  };

  std::uint64_t begin = 0;     // when recording began
  std::uint64_t end = 0;       // and ended
  bool reached_limit = false;  // or the run ended before
  std::vector<Process> processes{};
};

// Records what this process's threads and its GPU do, from start() until stop() or the limit. There
// is one, so that whoever does work can say so; while it is off that costs a look at a flag.
class Tracer {
 public:
  static Tracer& here();

  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }
  // Forgets what was recorded before.
  void start(TraceSettings settings);
  // Has the kernels of this process's GPU recorded too, before the GPU is opened; a warning says
  // why it cannot be.
  void trace_kernels();
  void stop();
  TraceSettings settings() const;

  // A span of the calling thread that ends now.
  void record(const char* name, std::uint64_t begin, std::uint64_t batch) noexcept;
  // What the calling thread launches on the GPU is for this batch, until it is for none.
  void begin_launches(std::uint64_t batch) const;
  void end_launches() const;

  // The batches of a run, numbered from 0. Whether this one, which is about to be computed, is
  // traced; and that its results are there. With those of the last that is, recording stops: the
  // limit is reached.
  bool admit(std::uint64_t batch);
  void finish(std::uint64_t batch);
  bool has_reached_limit() const;

  // What this process recorded since the last call.
  TracePart drain();
  // What another process of the run did.
  void add(int process, const std::string& name, const TracePart& part);
  // All of it. Recording is off, and what comes later is not kept.
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
  std::unique_ptr<Cupti> cupti_;  // of the thread that has the GPU
  mutable std::mutex mutex_;
  TraceSettings settings_;
  std::uint64_t begin_ = 0;  // 0: nothing is kept
  std::uint64_t end_ = 0;
  std::optional<std::uint64_t> first_batch_;  // when it was admitted
  std::uint64_t end_batch_ = kNoBatch;        // the first that is not traced
  std::uint64_t open_batches_ = 0;
  bool reached_limit_ = false;
  TraceStore store_;
  std::vector<Other> others_;
};

// What the calling thread does in a scope, for the trace and for NVIDIA's profilers. Names are
// literals.
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

// What a scope launches on the GPU is for a batch.
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
