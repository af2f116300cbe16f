#pragma once

#include <cstdint>
#include <vector>

#include "tokens/packer.hpp"

namespace virnucpro {

// What a worker is asked and what it answers. Plain data, so that a worker can live in a child
// process without any change to who uses it.
struct BatchRequest {
  std::uint64_t id = 0;
  PackedFrames frames;
};

struct BatchResult {
  std::uint64_t id = 0;
  std::vector<float> scores;     // [frames, 2]: others, virus; empty when not asked for
  std::vector<float> dnabert_s;  // [frames, width]; empty when not asked for
  std::vector<float> esm2;       // [frames, width]; empty when not asked for
  // Frames (indices into the batch) whose embeddings or scores are NaN or infinite.
  std::vector<std::uint32_t> not_finite;
};

}  // namespace virnucpro
