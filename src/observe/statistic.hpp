#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace virnucpro {

// Statistics of many values in fixed memory; all 0 without values. The peak is `max`.
struct Statistic {
  std::uint64_t count = 0;
  double mean = 0;
  double min = 0;
  double max = 0;

  void add(double value);
};

// Returns the statistic of both sets of values.
Statistic combined(const Statistic& a, const Statistic& b);

// The amount of work in each interval of a run, in fixed memory: when the run outgrows the series,
// intervals are joined in pairs.
class RateSeries {
 public:
  // `most`, an even number, is the most intervals; at first an interval lasts one second.
  explicit RateSeries(std::size_t most = 512) : most_(most) {}

  void add(double time, std::uint64_t amount);  // seconds since the run began

  double interval() const noexcept { return interval_; }  // seconds
  const std::vector<std::uint64_t>& amounts() const noexcept { return amounts_; }

 private:
  void halve();

  std::size_t most_;
  double interval_ = 1;
  std::vector<std::uint64_t> amounts_;
};

// Finds quantiles of any number of durations in fixed memory: counts in intervals, each 2 % longer
// than the one before (Masson, Rim and Lee, "DDSketch", VLDB 2019, section 2). A result is at
// most 1 % from an added value.
class QuantileSketch {
 public:
  // Adds a duration. Below a microsecond it counts as 0, above 10^6 seconds as 10^6.
  void add(double seconds) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  double mean() const noexcept;
  double max() const noexcept { return max_; }
  // Returns the smallest value such that a `share` (0 to 1) of all values is not larger; 0 if none.
  double quantile(double share) const noexcept;

 private:
  static constexpr std::size_t kIntervals = 1400;

  std::array<std::uint64_t, kIntervals> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
};

}  // namespace virnucpro
