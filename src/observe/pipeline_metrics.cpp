#include "observe/pipeline_metrics.hpp"

#include <algorithm>

namespace virnucpro {

void BatchTotals::add(const BatchMetrics& batch) noexcept {
  ++batches;
  frames += batch.frames;
  esm_tokens += batch.esm_tokens;
  dna_tokens += batch.dna_tokens;
  budget_tokens += batch.budget_tokens;
  virnucpro::add(times, batch.times);
  if (batch.memory) memory = batch.memory;
}

void PipelineSummary::add(const BatchMetrics& batch) {
  last = std::max(last, batch.time);
  totals.add(batch);
  if (batch.worker < kMostWorkers) {
    workers.resize(std::max(workers.size(), batch.worker + std::size_t{1}));
    workers[batch.worker].add(batch);
  }
  waiting.add(batch.times.waiting);
  const double packing = batch.packing();
  least_packing = std::min(least_packing.value_or(packing), packing);
  if (packing < kLoosePacking) ++loose_batches;
  ++queue_states.at(static_cast<std::size_t>(batch.queue_state));
  frames.add(batch.time, batch.frames);
  esm_tokens.add(batch.time, batch.esm_tokens);
}

double PipelineSummary::computing_seconds() const noexcept {
  double longest = 0;
  for (const BatchTotals& worker : workers) longest = std::max(longest, worker.times.all());
  return longest;
}

void PipelineMetrics::record(BatchMetrics batch) {
  batch.time = seconds();
  {
    const std::lock_guard lock(mutex_);
    summary_.add(batch);
  }
  if (listener_) listener_(batch);
}

void PipelineMetrics::reset() {
  const std::lock_guard lock(mutex_);
  summary_ = {};
}

BatchTotals PipelineMetrics::totals() const {
  const std::lock_guard lock(mutex_);
  return summary_.totals;
}

PipelineSummary PipelineMetrics::summary() const {
  const std::lock_guard lock(mutex_);
  return summary_;
}

}  // namespace virnucpro
