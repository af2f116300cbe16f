#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace virnucpro {

// The amount of work in each interval of a run, in fixed memory: when the run outgrows the series,
// intervals are joined in pairs.
class RateSeries {
 public:
  // `most` intervals, an even number; at first they last one second.
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

}  // namespace virnucpro
