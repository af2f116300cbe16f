#include "tables/chunk_score.hpp"

namespace virnucpro {

std::vector<ChunkScore> scored_chunks(const SequencePart& part) {
  std::vector<ChunkScore> chunks;
  for (const FrameScore& frame : part.frames) {
    if (frame.failed) continue;
    if (chunks.empty() || chunks.back().chunk != frame.chunk) {
      chunks.push_back({frame.chunk, frame.scores});
    } else {
      chunks.back().scores = highest(chunks.back().scores, frame.scores);
    }
  }
  return chunks;
}

}  // namespace virnucpro
