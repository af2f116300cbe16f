#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace virnucpro {

// Quantiles of any number of durations in fixed memory: counts by intervals that each are 2 %
// longer than the one before (Masson, Rim and Lee, "DDSketch", VLDB 2019, section 2), so that an
// answer is within 1 % of a value that was added.
class QuantileSketch {
 public:
  // Seconds. What is below a microsecond counts as 0, what is above 10^6 as that.
  void add(double seconds) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  double mean() const noexcept;
  double max() const noexcept { return max_; }
  // The smallest value that at least `share` (0 to 1) of all are not above; 0 of none.
  double quantile(double share) const noexcept;

 private:
  static constexpr std::size_t kIntervals = 1400;

  std::array<std::uint64_t, kIntervals> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
};

}  // namespace virnucpro
