#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace virnucpro {

// Computes one cosine over all pairs of vectors x and y. First m, the mean of all y, is subtracted
// from each vector: sum (x − m)·(y − m) / sqrt(sum |x − m|² · sum |y − m|²). Only sums are kept,
// because m is known only after the last pair. One thread may add pairs while other threads read.
class CentredCosine {
 public:
  // Adds the pair x = `one`, y = `other`. All vectors must have the same size.
  void add(std::span<const float> one, std::span<const float> other);
  // Returns the cosine; empty for fewer than two pairs, or if the divisor is 0.
  std::optional<double> value() const;
  void reset();

 private:
  mutable std::mutex mutex_;
  // The first `other`. It is subtracted from all vectors, because a large common offset would make
  // the sums inexact.
  std::vector<double> origin_;
  std::vector<double> sum_;        // sum of all `one`
  std::vector<double> other_sum_;  // sum of all `other`
  double product_ = 0;
  double squares_ = 0;
  double other_squares_ = 0;
  std::uint64_t pairs_ = 0;
};

}  // namespace virnucpro
