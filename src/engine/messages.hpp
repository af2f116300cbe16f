#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/batch_metrics.hpp"
#include "observe/trace_part.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// A batch that a worker computes. Requests and results are plain data, because a worker may be a
// thread or a process. Frames have no names, because workers do not need them.
struct BatchRequest {
  std::uint64_t id = 0;
  PackedFrames frames;
  std::uint64_t batch = kNoBatch;  // the run's batch, of which this request may be a part
  bool traced = false;
  bool check = false;  // true: compute in the check precision
};

// A frame without a result.
struct FailedFrame {
  std::uint32_t index = 0;  // index of the frame in the batch
  std::string reason;       // like "two worker processes were lost while they computed it"
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

}  // namespace virnucpro
