#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace virnucpro {

// Quantiles of any number of durations in fixed memory: counts in intervals, each 2 % longer than
// the one before (Masson, Rim and Lee, "DDSketch", VLDB 2019, section 2). A result is within 1 % of
// an added value.
class QuantileSketch {
 public:
  // Seconds. Less than a microsecond counts as 0, more than 10^6 as 10^6.
  void add(double seconds) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  double mean() const noexcept;
  double max() const noexcept { return max_; }
  // The smallest value that at least `share` (0 to 1) of all values do not exceed; 0 if none.
  double quantile(double share) const noexcept;

 private:
  static constexpr std::size_t kIntervals = 1400;

  std::array<std::uint64_t, kIntervals> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
};

}  // namespace virnucpro
