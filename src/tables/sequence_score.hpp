#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tables/call_rule.hpp"
#include "tables/chunk_score.hpp"
#include "tables/contig_rollup.hpp"

namespace virnucpro {

// A sequence's score, which is compared with a cut-off: the sequence is virus if its score is at
// least the cut-off. The parts of the sequence must be added in order.
//
// By the rule viral-ngs, the score is the weighted delta, from -1 to 1. By the rule majority, it is
// the largest X for which `--min-score X` calls the sequence virus: the k-th largest virus score of
// the n scored chunks. Here k is the least number with k / n of at least `--min-share`, and a chunk
// with a higher score for others counts as 0.
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
  std::vector<float> scores_;  // the chunks' virus scores; only for the rule majority
};

// Returns the least k of 1 … n for which k / n is at least `share`.
std::uint64_t least_count(double share, std::uint64_t n);

}  // namespace virnucpro
