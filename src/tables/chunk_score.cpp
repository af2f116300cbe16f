#include "tables/chunk_score.hpp"

#include <algorithm>

namespace virnucpro {

std::vector<ChunkScore> scored_chunks(const SequencePart& part) {
  std::vector<ChunkScore> chunks;
  for (const FrameScore& frame : part.frames) {
    if (frame.failed) continue;
    if (chunks.empty() || chunks.back().chunk != frame.chunk) {
      chunks.push_back({frame.chunk, frame.others, frame.virus});
      continue;
    }
    ChunkScore& chunk = chunks.back();
    chunk.others = std::max(chunk.others, frame.others);
    chunk.virus = std::max(chunk.virus, frame.virus);
  }
  return chunks;
}

}  // namespace virnucpro
