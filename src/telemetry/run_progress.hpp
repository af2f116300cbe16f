#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "observe/counters.hpp"
#include "telemetry/moving_rate.hpp"

namespace virnucpro {

// The counters of a run at one moment.
struct ProgressSample {
  double seconds = 0;  // since it began
  std::uint64_t input_bytes = 0;
  std::uint64_t input_bytes_total = 0;
  std::uint64_t sequences = 0;
  std::uint64_t sequences_known = 0;
  std::uint64_t sequences_scored = 0;
  std::uint64_t chunks = 0;
  std::uint64_t chunks_known = 0;
  std::uint64_t chunks_framed = 0;
  std::uint64_t frames = 0;
  std::uint64_t frames_scored = 0;  // or given up
  BatchTotals computed{};
  std::vector<BatchTotals> workers{};
  std::vector<std::optional<double>> utilization{};  // percent of each worker's GPU, as it says
};

ProgressSample sample_progress(const RunCounters& counters);

enum class ProgressStage : std::uint8_t {
  kStarting,  // nothing was read: models are loaded, a journal is checked
  kScoring,
  kFinishing,  // everything has its scores: what is left is to write
};

// How one worker, or all of them, get on; what is not known is empty.
struct WorkerProgress {
  std::optional<double> tokens_per_second{};  // of both models
  std::optional<double> gpu_percent{};
  std::optional<double> packing_percent{};
};

// What is to be told of a run.
struct RunProgress {
  double seconds = 0;
  ProgressStage stage = ProgressStage::kStarting;
  std::optional<double> percent{};       // below 100 as long as something has no score
  std::optional<double> seconds_left{};  // of scoring
  std::uint64_t sequences = 0;           // with their scores, known ones too
  std::optional<std::uint64_t> sequences_total{};
  bool all_read = false;  // sequences_total is exact
  std::optional<double> sequences_per_second{};
  WorkerProgress all{};
  std::vector<WorkerProgress> workers{};
};

// Makes that of samples taken one after the other. How much there is in all follows from the share
// of the inputs' bytes that was read, and the chunks that were in it. Time is told by frames: they
// come back from every batch, while a sequence may be a whole genome. A resumed run's known chunks
// are part of what is done, and no part of the rate.
class ProgressTracker {
 public:
  // `on_gpu`: workers are GPUs, one each. One that does not say how busy it is counts as busy while
  // it has a batch.
  explicit ProgressTracker(bool on_gpu) : on_gpu_(on_gpu) {}

  RunProgress add(const ProgressSample& sample);

 private:
  struct WorkerRates {
    MovingRate tokens;
    MovingRate busy;
  };

  WorkerProgress worker(const ProgressSample& sample, std::size_t index);
  void forecast(const ProgressSample& sample, RunProgress& progress);

  bool on_gpu_;
  MovingRate frames_;
  MovingRate sequences_;
  MovingRate tokens_;
  std::vector<WorkerRates> workers_;
};

}  // namespace virnucpro
