#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tokens/packer.hpp"

namespace virnucpro {

// What a worker is asked and what it answers. Plain data, so that a worker can live in a child
// process without any change to who uses it.
struct BatchRequest {
  std::uint64_t id = 0;
  PackedFrames frames;
};

// Seconds of the device for one batch.
struct BatchTimes {
  double waiting = 0;  // with nothing to do, between the batch before and this one
  double esm2 = 0;
  double dnabert_s = 0;
  double rest = 0;  // classifier, checks, and the results' way back
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
};

}  // namespace virnucpro
