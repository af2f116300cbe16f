#include "tables/sequence_score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tables/score_text.hpp"

namespace virnucpro {

std::uint64_t least_count(double share, std::uint64_t n) {
  const auto reaches = [&](std::uint64_t k) {
    return static_cast<double>(k) / static_cast<double>(n) >= share;
  };
  auto k = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(n)));
  // share * n is rounded, so k may be off by one.
  while (k > 1 && reaches(k - 1)) --k;
  while (k < n && !reaches(k)) ++k;
  return std::clamp<std::uint64_t>(k, 1, n);
}

void SequenceScore::add(const std::vector<ChunkScore>& chunks) {
  chunks_scored_ += chunks.size();
  for (const ChunkScore& chunk : chunks) {
    if (rule_.is_viral_ngs()) {
      rollup_.add(chunk.scores);
    } else {
      scores_.push_back(is_originally_virus(chunk.scores) ? chunk.scores.virus : 0);
    }
  }
}

std::optional<double> SequenceScore::value() const {
  if (chunks_scored_ == 0) return std::nullopt;
  if (rule_.is_viral_ngs()) return rollup_.weighted_delta();
  const auto place =
      static_cast<std::ptrdiff_t>(least_count(rule_.min_share(), chunks_scored_)) - 1;
  std::vector<float> sorted = scores_;
  std::ranges::nth_element(sorted, sorted.begin() + place, std::ranges::greater());
  return printed_score(sorted[static_cast<std::size_t>(place)]);
}

}  // namespace virnucpro
