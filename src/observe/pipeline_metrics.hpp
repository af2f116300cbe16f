#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "observe/batch_metrics.hpp"
#include "observe/quantile_sketch.hpp"
#include "observe/rate_series.hpp"

namespace virnucpro {

// Everything that was computed, added up.
struct BatchTotals {
  std::uint64_t batches = 0;
  std::uint64_t frames = 0;
  std::uint64_t esm_tokens = 0;
  std::uint64_t dna_tokens = 0;
  std::uint64_t budget_tokens = 0;
  BatchTimes times{};

  void add(const BatchMetrics& batch) noexcept;
  double packing() const noexcept { return packing_share(esm_tokens, budget_tokens); }
};

// What the batches of a run say together.
struct PipelineSummary {
  BatchTotals totals{};
  std::vector<BatchTotals> workers;  // by index
  QuantileSketch waiting{};          // seconds a batch
  QuantileSketch busy{};
  std::array<std::uint64_t, kQueueStateNames.size()> queue_states{};
  RateSeries frames{};
  RateSeries esm_tokens{};
  double first = 0;  // when the first batch's results came, and the last's
  double last = 0;

  // Between its first batch's beginning and its last's results, of the worker that took longest.
  double computing_seconds() const noexcept;
};

// Takes a run's batches, from one thread, and tells any other how it gets on. Its memory does not
// grow with the run.
class PipelineMetrics {
 public:
  // Is told of every batch, on the thread that records it.
  using Listener = std::function<void(const BatchMetrics&)>;

  void listen(Listener listener) { listener_ = std::move(listener); }  // before the first batch
  // Sets its time.
  void record(BatchMetrics batch);

  // Forgets the batches, not when the run began.
  void reset();

  double seconds() const;  // since this was made: when the run began
  BatchTotals totals() const;
  PipelineSummary summary() const;

 private:
  using Clock = std::chrono::steady_clock;

  const Clock::time_point begin_ = Clock::now();
  Listener listener_;
  mutable std::mutex mutex_;
  PipelineSummary summary_;
};

}  // namespace virnucpro
