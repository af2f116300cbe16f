#pragma once

#include <algorithm>
#include <numeric>

#include "engine/messages.hpp"

namespace virnucpro {

// Returns the fake worker's results: each frame's scores are the sums of its ESM-2 tokens and of
// its DNABERT-S tokens.
inline BatchResult fake_result(const BatchRequest& request) {
  const PackedFrames& frames = request.frames;
  BatchResult result;
  result.id = request.id;
  const auto sum = [](const auto& tokens, const auto& offsets, std::size_t frame) {
    return std::accumulate(tokens.begin() + offsets[frame], tokens.begin() + offsets[frame + 1],
                           0.0F);
  };
  for (std::size_t frame = 0; frame < frames.frames(); ++frame) {
    result.scores.push_back(sum(frames.esm_tokens, frames.esm_offsets, frame));
    result.scores.push_back(sum(frames.dna_tokens, frames.dna_offsets, frame));
  }
  return result;
}

}  // namespace virnucpro
