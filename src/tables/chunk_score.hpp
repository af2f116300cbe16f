#pragma once

#include <cstdint>
#include <vector>

#include "journal/unit.hpp"
#include "models/score_pair.hpp"

namespace virnucpro {

// A chunk's scores: the highest of its frames (docs/reference/semantics.md, section 6).
struct ChunkScore {
  std::uint64_t chunk = 0;
  ScorePair scores{};
};

// True if the original program, which has no least score, calls a chunk with these scores virus.
inline bool is_originally_virus(const ScorePair& scores) {
  return scores.virus >= scores.others;
}

// Returns the scores of a part's chunks, in order. Leaves out chunks without a scored frame.
std::vector<ChunkScore> scored_chunks(const SequencePart& part);

}  // namespace virnucpro
