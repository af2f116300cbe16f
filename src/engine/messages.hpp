#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/batch_metrics.hpp"
#include "observe/trace_part.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// What a worker is asked and what it answers. Plain data, so that a worker can live in a child
// process without any change to who uses it.
struct BatchRequest {
  std::uint64_t id = 0;
  PackedFrames frames;
  std::uint64_t batch = kNoBatch;  // of the run, of which this may be a part
  bool traced = false;
};

// A frame that was given up.
struct FailedFrame {
  std::uint32_t index = 0;  // into the batch
  std::string reason;       // "two worker processes were lost with it"
};

struct BatchResult {
  std::uint64_t id = 0;
  std::vector<float> scores;     // [frames, 2]: others, virus; empty when not asked for
  std::vector<float> dnabert_s;  // [frames, width]; empty when not asked for
  std::vector<float> esm2;       // [frames, width]; empty when not asked for
  // Frames (indices into the batch) whose embeddings or scores are NaN or infinite.
  std::vector<std::uint32_t> not_finite;
  // Frames that have no result, and whose rows mean nothing, in ascending order.
  std::vector<FailedFrame> failed;
  BatchTimes times;
  std::uint32_t worker = 0;  // that computed it, or its last part, among several
};

}  // namespace virnucpro
