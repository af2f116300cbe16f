#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "observe/counters.hpp"
#include "telemetry/moving_rate.hpp"

namespace virnucpro {

// The counters of a run at one moment.
struct ProgressSample {
  double seconds = 0;  // since the run began
  std::uint64_t input_bytes = 0;
  std::uint64_t input_bytes_total = 0;
  std::uint64_t sequences = 0;
  std::uint64_t sequences_known = 0;
  std::uint64_t chunks = 0;
  std::uint64_t chunks_known = 0;
  std::uint64_t chunks_framed = 0;
  std::uint64_t frames = 0;
  std::uint64_t frames_scored = 0;  // also counts frames that were given up
  BatchTotals computed{};
  std::vector<BatchTotals> workers{};
  std::vector<std::optional<double>> utilization{};  // percent of each worker's GPU
};

ProgressSample sample_progress(const RunCounters& counters);

enum class ProgressStage : std::uint8_t {
  kStarting,  // no sequence was read yet: models are loaded, a journal is checked
  kScoring,
  kFinishing,  // all frames have scores; only writing is left
};

// Progress of one worker or of all; unknown values are empty.
struct WorkerProgress {
  std::optional<double> tokens_per_second{};  // of both models
  std::optional<double> gpu_percent{};
  std::optional<double> packing_percent{};
};

struct RunProgress {
  double seconds = 0;
  ProgressStage stage = ProgressStage::kStarting;
  std::optional<double> percent{};       // below 100 until all frames have scores
  std::optional<double> seconds_left{};  // until scoring ends
  std::uint64_t sequences = 0;           // sequences done, by this run or before a resume
  std::optional<std::uint64_t> sequences_total{};
  bool all_read = false;  // all inputs are read, so sequences_total is exact
  std::optional<double> sequences_per_second{};
  WorkerProgress all{};
  std::vector<WorkerProgress> workers{};
};

// Computes progress from successive samples. The total number of chunks is estimated from the
// chunks found so far and the share of the inputs' bytes that was read. The number of finished
// chunks is estimated from frames, because every batch returns some frames. Sequences are too
// uneven for this: one may be a whole genome, and thousands may have no frame. Percent, sequences
// and the time left are computed from the same numbers, so they agree. Chunks that were scored
// before a resume count as done, but not for the rate.
class ProgressTracker {
 public:
  // `on_gpu` is true if each worker is a GPU. If a GPU does not report its utilization, the share
  // of time in which it computes batches is shown.
  explicit ProgressTracker(bool on_gpu) : on_gpu_(on_gpu) {}

  RunProgress add(const ProgressSample& sample);

 private:
  struct WorkerRates {
    MovingRate tokens;
    MovingRate busy;
  };

  WorkerProgress worker(const ProgressSample& sample, std::size_t index);
  std::uint64_t sequences_done(const ProgressSample& sample);
  void forecast(const ProgressSample& sample, RunProgress& progress);

  bool on_gpu_;
  MovingRate frames_;
  MovingRate sequences_;
  MovingRate tokens_;
  std::vector<WorkerRates> workers_;
  std::uint64_t sequences_done_ = 0;  // by this run, until the last sample
};

}  // namespace virnucpro
