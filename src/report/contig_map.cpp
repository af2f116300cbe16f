#include "report/contig_map.hpp"

#include <algorithm>
#include <cmath>

namespace virnucpro {

void ContigMap::begin(std::uint64_t length) {
  length_ = length;
  width_ = length / kBins + (length % kBins != 0 ? 1 : 0);
  width_ = std::max<std::uint64_t>(width_, 1);
  const std::uint64_t bins = length / width_ + (length % width_ != 0 ? 1 : 0);
  bins_.assign(static_cast<std::size_t>(bins), Bin{});
}

// Returns a bin's end. Compares a difference, because begin + width_ may overflow if a damaged
// journal states a huge length.
std::uint64_t ContigMap::end_of(std::uint64_t bin) const {
  const std::uint64_t begin = bin * width_;
  return length_ - begin > width_ ? begin + width_ : length_;
}

void ContigMap::add(const Chunk& chunk, std::uint64_t fresh, double score) {
  const std::uint64_t end = std::min(chunk.end, length_);
  if (chunk.begin >= end) return;
  for (std::uint64_t bin = chunk.begin / width_; bin < bins_.size() && bin * width_ < end; ++bin) {
    const std::uint64_t to = std::min(end_of(bin), end);
    const std::uint64_t from = std::max(bin * width_, chunk.begin);
    Bin& found = bins_[static_cast<std::size_t>(bin)];
    found.weight += static_cast<double>(to - from);
    found.sum += static_cast<double>(to - from) * score;
    found.covered += to - std::min(to, std::max(from, fresh));
  }
}

std::vector<MapStretch> ContigMap::stretches() const {
  std::vector<MapStretch> found;
  for (std::uint64_t k = 0; k < bins_.size(); ++k) {
    const Bin& bin = bins_[static_cast<std::size_t>(k)];
    const std::uint64_t begin = k * width_;
    const std::uint64_t end = end_of(k);
    std::optional<double> score;
    if (bin.covered >= end - begin - (end - begin) / 2) {
      score = std::round(1000 * bin.sum / bin.weight) / 1000;
    }
    if (!found.empty() && found.back().score == score) {
      found.back().end = end;
    } else {
      found.push_back({begin, end, score});
    }
  }
  return found;
}

}  // namespace virnucpro
