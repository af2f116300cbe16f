#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace virnucpro {

// The cosine of all pairs of vectors together, after the mean of the second ones is taken off:
// sum (x − m)·(y − m) over the root of sum |x − m|² times sum |y − m|². In fixed memory; one thread
// adds, others may read.
class CentredCosine {
 public:
  // All vectors have one length.
  void add(std::span<const float> one, std::span<const float> other);
  // Empty for fewer than two pairs, or where all are alike.
  std::optional<double> value() const;
  void reset();

 private:
  mutable std::mutex mutex_;
  // All relative to the first `other`: otherwise a large constant part would drown the rest.
  std::vector<double> origin_;
  std::vector<double> sum_;        // of the ones
  std::vector<double> other_sum_;  // of the others
  double product_ = 0;
  double squares_ = 0;
  double other_squares_ = 0;
  std::uint64_t pairs_ = 0;
};

}  // namespace virnucpro
