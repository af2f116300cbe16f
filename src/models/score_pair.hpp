#pragma once

#include <algorithm>

namespace virnucpro {

// The classifier's two outputs for a frame, which add up to 1. A chunk's scores are the highest
// `others` and the highest `virus` of its frames.
struct ScorePair {
  float others = 0;
  float virus = 0;
};

// Returns the higher value of each score.
inline ScorePair highest(const ScorePair& a, const ScorePair& b) {
  return {.others = std::max(a.others, b.others), .virus = std::max(a.virus, b.virus)};
}

}  // namespace virnucpro
