#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/score_pair.hpp"
#include "observe/batch_metrics.hpp"
#include "observe/trace_part.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// An engine may hold the models in several precisions. A request names a precision by its
// index in EngineSettings::precisions.
inline constexpr std::uint32_t kRunModel = 0;    // in the run's precision
inline constexpr std::uint32_t kCheckModel = 1;  // in the finer precision that checks calls
inline constexpr std::uint32_t kMostModels = 2;

// A batch that a worker computes. Requests and results are plain data, because a worker may be a
// thread or a process. Frames have no names, because workers do not need them.
struct BatchRequest {
  std::uint64_t id = 0;
  PackedFrames frames;
  std::uint64_t batch = kNoBatch;  // the run's batch, of which this request may be a part
  bool traced = false;
  std::uint32_t model = kRunModel;
};

// A frame without a result.
struct FailedFrame {
  std::uint32_t index = 0;  // index of the frame in the batch
  std::string reason;       // like "two worker processes were lost while computing this frame"
};

struct BatchResult {
  std::uint64_t id = 0;
  std::vector<float> scores;     // [frames, 2]: others, virus; empty if not wanted
  std::vector<float> dnabert_s;  // [frames, width]; empty if not wanted
  std::vector<float> esm2;       // [frames, width]; empty if not wanted
  // Indices of frames whose embeddings or scores are NaN or infinite.
  std::vector<std::uint32_t> not_finite;
  // Frames without a result, in ascending order. Their rows in the arrays are meaningless.
  std::vector<FailedFrame> failed;
  BatchTimes times;
  std::optional<WorkerMemory> memory{};  // the device's memory after the batch; empty on the CPU
  std::uint32_t worker = 0;              // index of the worker that sent the batch's last part
  // The time at which the result (or the last part's result) arrived from the worker.
  std::chrono::steady_clock::time_point arrived{};
};

// One frame's results. Scores that are not wanted are 0; embeddings that are not wanted are empty.
struct FrameResult {
  ScorePair scores{};
  std::span<const float> dnabert_s{};
  std::span<const float> esm2{};
};

// Returns the results of frame `index` of a batch with `frames` frames.
inline FrameResult frame_result(const BatchResult& result, std::size_t index, std::size_t frames) {
  const auto row = [&](const std::vector<float>& rows) {
    const std::size_t width = rows.size() / frames;
    return std::span(rows).subspan(index * width, width);
  };
  const std::span<const float> scores = row(result.scores);
  return {
      .scores = scores.empty() ? ScorePair{} : ScorePair{.others = scores[0], .virus = scores[1]},
      .dnabert_s = row(result.dnabert_s),
      .esm2 = row(result.esm2)};
}

}  // namespace virnucpro
