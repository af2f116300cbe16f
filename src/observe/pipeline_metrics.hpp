#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "observe/batch_metrics.hpp"
#include "observe/statistic.hpp"

namespace virnucpro {

struct BatchTotals {
  std::uint64_t batches = 0;
  std::uint64_t frames = 0;
  std::uint64_t esm_tokens = 0;
  std::uint64_t dna_tokens = 0;
  std::uint64_t budget_tokens = 0;
  BatchTimes times{};
  std::optional<WorkerMemory> memory{};  // after the last batch that reported it

  void add(const BatchMetrics& batch) noexcept;
  double packing() const noexcept { return packing_share(esm_tokens, budget_tokens); }
};

// The summary of a run's batches. Batches are added when they are computed, or later from a file.
struct PipelineSummary {
  static constexpr std::size_t kMostWorkers = 1024;  // further workers count in `totals` only
  static constexpr double kLoosePacking = 0.8;

  BatchTotals totals{};
  std::vector<BatchTotals> workers;       // by index
  QuantileSketch waiting{};               // seconds per batch
  std::optional<double> least_packing{};  // the smallest packing() of a batch
  std::uint64_t loose_batches = 0;        // batches with packing() below kLoosePacking
  std::array<std::uint64_t, kQueueStateNames.size()> queue_states{};
  RateSeries frames{};
  RateSeries esm_tokens{};
  double last = 0;  // when the last results came, in seconds since the run began

  void add(const BatchMetrics& batch);
  // Returns the seconds that the slowest worker took for all its batches, waiting included.
  double computing_seconds() const noexcept;
};

// Collects a run's batches from one thread; any thread may read. Memory does not grow with the run.
class PipelineMetrics {
 public:
  // A function that is called for every batch, on the thread that records it.
  using Listener = std::function<void(const BatchMetrics&)>;

  void listen(Listener listener) { listener_ = std::move(listener); }  // call before any batch
  // Sets the time of `batch` and adds it.
  void record(BatchMetrics batch);

  // Forgets the batches, but not the time when the run began.
  void reset();

  double seconds() const { return watch_.seconds(); }  // since construction, when the run began
  BatchTotals totals() const;
  PipelineSummary summary() const;

 private:
  const StopWatch watch_;
  Listener listener_;
  mutable std::mutex mutex_;
  PipelineSummary summary_;
};

}  // namespace virnucpro
