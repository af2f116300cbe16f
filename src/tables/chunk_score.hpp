#pragma once

#include <cstdint>
#include <vector>

#include "journal/unit.hpp"

namespace virnucpro {

// A chunk's scores: the maxima over its frames (docs/reference/semantics.md, section 6).
struct ChunkScore {
  std::uint64_t chunk = 0;
  float others = 0;
  float virus = 0;

  // True if the original program, which has no least score, calls the chunk virus.
  bool is_virus() const { return virus >= others; }
};

// Returns the scores of a part's chunks, in order. Leaves out chunks without a scored frame.
std::vector<ChunkScore> scored_chunks(const SequencePart& part);

}  // namespace virnucpro
