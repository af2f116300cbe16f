#include "measure/datasets/length_histogram.hpp"

#include <algorithm>
#include <bit>

namespace virnucpro {
namespace {

// Lengths of up to 13 bits have an interval each; longer lengths are grouped by their top 13 bits.
constexpr std::uint64_t kExact = 8192;
constexpr std::uint64_t kIntervals = kExact / 2;  // intervals per doubling of the length
constexpr std::uint64_t kExactBits = 13;

std::uint64_t interval_of(std::uint64_t length) {
  if (length < kExact) return length;
  const std::uint64_t dropped = static_cast<std::uint64_t>(std::bit_width(length)) - kExactBits;
  return dropped * kIntervals + (length >> dropped);
}

std::uint64_t shortest_of(std::uint64_t interval) {
  if (interval < kExact) return interval;
  const std::uint64_t dropped = interval / kIntervals - 1;
  return (interval - dropped * kIntervals) << dropped;
}

}  // namespace

void LengthHistogram::add(std::uint64_t length) {
  const std::uint64_t interval = interval_of(length);
  if (interval >= counts_.size()) counts_.resize(interval + 1);
  ++counts_[interval];
  min_ = count_ == 0 ? length : std::min(min_, length);
  max_ = std::max(max_, length);
  letters_ += length;
  ++count_;
}

double LengthHistogram::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(letters_) / static_cast<double>(count_);
}

std::uint64_t LengthHistogram::percentile(std::uint64_t percent) const {
  for (const LengthStep& step : steps()) {
    if (100 * step.up_to >= percent * count_) return step.length;
  }
  return max_;
}

std::vector<LengthStep> LengthHistogram::steps() const {
  std::vector<LengthStep> steps;
  std::uint64_t up_to = 0;
  for (std::uint64_t interval = 0; interval < counts_.size(); ++interval) {
    if (counts_[interval] == 0) continue;
    up_to += counts_[interval];
    steps.push_back({.length = std::max(shortest_of(interval), min_), .up_to = up_to});
  }
  return steps;
}

}  // namespace virnucpro
