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

// A request to a worker; below, a worker's result. Both are plain data: a worker may be a thread or
// a process. Frames have numbers only, because workers need no names.
struct BatchRequest {
  std::uint64_t id = 0;
  PackedFrames frames;
  std::uint64_t batch = kNoBatch;  // the run's batch; the request may be a part of it
  bool traced = false;
  bool check = false;  // computed in the check precision
};

// A frame without a result.
struct FailedFrame {
  std::uint32_t index = 0;  // the frame's place in the batch
  std::string reason;       // "two worker processes were lost with it"
};

struct BatchResult {
  std::uint64_t id = 0;
  std::vector<float> scores;     // [frames, 2]: others, virus; empty if not wanted
  std::vector<float> dnabert_s;  // [frames, width]; empty if not wanted
  std::vector<float> esm2;       // [frames, width]; empty if not wanted
  // Indices of the batch's frames with NaN or infinite embeddings or scores.
  std::vector<std::uint32_t> not_finite;
  // Frames without a result, in ascending order; ignore their rows.
  std::vector<FailedFrame> failed;
  BatchTimes times;
  std::optional<WorkerMemory> memory{};  // the device's memory after the batch; empty on the CPU
  std::uint32_t worker = 0;              // the worker of the batch, or of its last part
  // The time at which the result, or its last part, arrived from the worker.
  std::chrono::steady_clock::time_point arrived{};
};

}  // namespace virnucpro
