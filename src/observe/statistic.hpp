#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fields.hpp"

namespace virnucpro {

// Describes many values by four numbers; all are 0 without values.
struct Statistic {
  double average = 0;
  double minimum = 0;
  double maximum = 0;
  std::uint64_t samples = 0;
  VIRNUCPRO_FIELDS(average, minimum, maximum, samples);

  void add(double value);
};

// Returns the statistic of the values of `a` and `b` together.
Statistic combined(const Statistic& a, const Statistic& b);

// The amount of work in each interval of a run. Memory is fixed: if there are too many intervals,
// pairs of neighbours are joined.
class RateSeries {
 public:
  // `most`, an even number, limits the number of intervals. An interval lasts one second at first.
  explicit RateSeries(std::size_t most = 512) : most_(most) {}

  void add(double time, std::uint64_t amount);  // `time`: seconds since the run began

  double interval() const noexcept { return interval_; }  // seconds
  const std::vector<std::uint64_t>& amounts() const noexcept { return amounts_; }

 private:
  void halve();

  std::size_t most_;
  double interval_ = 1;
  std::vector<std::uint64_t> amounts_;
};

// Finds quantiles of any number of durations in fixed memory. It counts the durations in intervals,
// each 2 % longer than the interval before (Masson, Rim and Lee, "DDSketch", VLDB 2019, section 2).
// A quantile differs from an added duration by 1 % at most.
class QuantileSketch {
 public:
  // Adds a duration. Quantiles below 10^-6 seconds are returned as 0, quantiles above 10^6 as 10^6.
  void add(double seconds) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  double mean() const noexcept;
  double max() const noexcept { return max_; }
  // Returns the duration that a `share` (0 to 1) of all durations does not exceed; 0 if empty.
  double quantile(double share) const noexcept;

 private:
  static constexpr std::size_t kIntervals = 1400;

  std::array<std::uint64_t, kIntervals> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
};

}  // namespace virnucpro
