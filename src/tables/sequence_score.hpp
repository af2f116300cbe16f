#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tables/call_rule.hpp"
#include "tables/chunk_score.hpp"
#include "tables/contig_rollup.hpp"

namespace virnucpro {

// The one number of a sequence that a cut-off is compared with, added up from its parts in order.
//
// By the rule majority it is the largest X for which `--min-score X` calls the sequence virus: the
// k-th largest virus score of its n scored chunks, where k is the least number of chunks whose
// share of n is at least `--min-share`, and a chunk with a higher score for others counts 0. By the
// rule viral-ngs it is the weighted delta, from -1 to 1. The sequence is virus if the number is at
// least the cut-off.
class SequenceScore {
 public:
  explicit SequenceScore(const CallRule& rule) : rule_(rule), rollup_(rule.viral_ngs()) {}

  void add(const std::vector<ChunkScore>& chunks);
  std::uint64_t chunks_scored() const { return chunks_scored_; }
  std::optional<double> value() const;  // empty if no chunk is scored

 private:
  CallRule rule_;
  ContigRollup rollup_;
  std::uint64_t chunks_scored_ = 0;
  std::vector<float> scores_;  // virus scores of the chunks; only by majority
};

// Returns the least k of 1 … n for which k / n is at least `share`.
std::uint64_t least_count(double share, std::uint64_t n);

}  // namespace virnucpro
