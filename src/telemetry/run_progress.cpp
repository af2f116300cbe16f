#include "telemetry/run_progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace virnucpro {
namespace {

constexpr double kMostUnfinished = 99.9;  // the highest percent shown before the end

double number(std::uint64_t count) {
  return static_cast<double>(count);
}

double tokens_of(const BatchTotals& totals) {
  return number(totals.esm_tokens + totals.dna_tokens);
}

std::optional<double> packing_of(const BatchTotals& totals) {
  if (totals.budget_tokens == 0) return std::nullopt;
  return 100 * totals.packing();
}

bool is_all_read(const ProgressSample& sample) {
  return sample.input_bytes_total > 0 && sample.input_bytes >= sample.input_bytes_total;
}

// Returns the share of the inputs' bytes that was read; empty if unknown or nothing was read yet.
std::optional<double> share_read(const ProgressSample& sample) {
  if (sample.input_bytes == 0 || sample.input_bytes_total == 0) return std::nullopt;
  return std::min(1.0, number(sample.input_bytes) / number(sample.input_bytes_total));
}

ProgressStage stage_of(const ProgressSample& sample) {
  if (sample.sequences == 0) return ProgressStage::kStarting;
  const bool all_framed = sample.chunks_known + sample.chunks_framed >= sample.chunks;
  const bool all_scored = sample.frames_scored >= sample.frames;
  return is_all_read(sample) && all_framed && all_scored ? ProgressStage::kFinishing
                                                         : ProgressStage::kScoring;
}

// Estimates how many chunks this run has scored, from the share of frames that have scores.
double chunks_done(const ProgressSample& sample) {
  if (sample.frames == 0) return 0;
  return number(sample.chunks_framed) * number(sample.frames_scored) / number(sample.frames);
}

std::optional<double> mean_gpu_percent(const std::vector<WorkerProgress>& workers) {
  double sum = 0;
  std::size_t count = 0;
  for (const WorkerProgress& worker : workers) {
    if (!worker.gpu_percent) continue;
    sum += *worker.gpu_percent;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

ProgressSample sample_progress(const RunCounters& counters) {
  PipelineSummary pipeline = counters.pipeline.summary();
  return {.seconds = counters.pipeline.seconds(),
          .input_bytes = counters.input_bytes.get(),
          .input_bytes_total = counters.input_bytes_total.get(),
          .sequences = counters.sequences.get(),
          .sequences_known = counters.sequences_known.get(),
          .chunks = counters.chunks.get(),
          .chunks_known = counters.chunks_known.get(),
          .chunks_framed = counters.chunks_framed.get(),
          .frames = counters.frames.get(),
          .frames_scored = counters.frames_scored.get() + counters.frames_given_up.get(),
          .computed = pipeline.totals,
          .workers = std::move(pipeline.workers)};
}

RunProgress ProgressTracker::add(const ProgressSample& sample) {
  frames_.add(sample.seconds, number(sample.frames_scored));
  const std::uint64_t sequences = sequences_done(sample);
  sequences_.add(sample.seconds, number(sequences));
  tokens_.add(sample.seconds, tokens_of(sample.computed));
  RunProgress progress{.seconds = sample.seconds,
                       .stage = stage_of(sample),
                       .sequences = sample.sequences_known + sequences,
                       .all_read = is_all_read(sample),
                       .sequences_per_second = sequences_.per_second(sample.seconds)};
  for (std::size_t i = 0; i < sample.workers.size(); ++i) {
    progress.workers.push_back(worker(sample, i));
  }
  progress.all = {.tokens_per_second = tokens_.per_second(sample.seconds),
                  .gpu_percent = mean_gpu_percent(progress.workers),
                  .packing_percent = packing_of(sample.computed)};
  forecast(sample, progress);
  return progress;
}

// Estimates how many of the sequences read so far are done, from the share of their chunks that is
// done. The result never falls, even if the number of frames per chunk changes.
std::uint64_t ProgressTracker::sequences_done(const ProgressSample& sample) {
  const double read = number(sample.sequences) - number(sample.sequences_known);
  const double chunks = number(sample.chunks) - number(sample.chunks_known);
  const bool is_over = stage_of(sample) == ProgressStage::kFinishing;
  const double share = chunks > 0 ? std::min(chunks_done(sample) / chunks, 1.0) : 0;
  const double done = std::max(is_over ? read : read * share, 0.0);
  sequences_done_ = std::max(sequences_done_, static_cast<std::uint64_t>(std::llround(done)));
  return sequences_done_;
}

WorkerProgress ProgressTracker::worker(const ProgressSample& sample, std::size_t index) {
  if (workers_.size() <= index) workers_.resize(index + 1);
  WorkerRates& rates = workers_[index];
  const BatchTotals& totals = sample.workers[index];
  rates.tokens.add(sample.seconds, tokens_of(totals));
  rates.busy.add(sample.seconds, totals.times.busy());
  WorkerProgress progress{.tokens_per_second = rates.tokens.per_second(sample.seconds),
                          .packing_percent = packing_of(totals)};
  if (!on_gpu_) return progress;
  if (index < sample.utilization.size()) progress.gpu_percent = sample.utilization[index];
  const std::optional<double> busy = rates.busy.per_second(sample.seconds);
  if (!progress.gpu_percent && busy) progress.gpu_percent = std::min(100 * *busy, 100.0);
  return progress;
}

void ProgressTracker::forecast(const ProgressSample& sample, RunProgress& progress) {
  const std::optional<double> read = share_read(sample);
  if (!read || progress.stage == ProgressStage::kStarting) return;
  progress.sequences_total = std::max(
      sample.sequences, static_cast<std::uint64_t>(std::llround(number(sample.sequences) / *read)));
  if (progress.stage == ProgressStage::kFinishing) {
    progress.percent = 100;
    return;
  }
  const double chunks = number(sample.chunks) / *read;
  const double done = number(sample.chunks_known) + chunks_done(sample);
  if (chunks > 0) progress.percent = std::clamp(100 * done / chunks, 0.0, kMostUnfinished);
  const std::optional<double> rate = frames_.per_second(sample.seconds);
  if (!rate || *rate <= 0 || sample.chunks_framed == 0) return;
  const double frames_a_chunk = number(sample.frames) / number(sample.chunks_framed);
  const double frames = frames_a_chunk * (chunks - number(sample.chunks_known));
  const double left = std::max(frames - number(sample.frames_scored), 0.0) / *rate;
  progress.seconds_left = std::max(left - frames_.since_step(sample.seconds), 0.0);
}

}  // namespace virnucpro
