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

  // As the original calls it, whatever its score.
  bool is_virus() const { return virus >= others; }
};

// The chunks of a part that have a frame with scores, in order. Failed frames count as absent.
std::vector<ChunkScore> scored_chunks(const SequencePart& part);

}  // namespace virnucpro
