#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace virnucpro {

// One cosine over all pairs of vectors, after the mean m of the second ones is subtracted: sum (x −
// m)·(y − m) over the root of sum |x − m|² times sum |y − m|². It needs only sums: a cosine for
// each pair would need a second pass over embeddings that nobody keeps. One thread adds, others may
// read.
class CentredCosine {
 public:
  // All vectors have one length.
  void add(std::span<const float> one, std::span<const float> other);
  // Empty for fewer than two pairs, or where all are alike.
  std::optional<double> value() const;
  void reset();

 private:
  mutable std::mutex mutex_;
  // All sums are relative to the first `other`: a large constant part would drown the rest.
  std::vector<double> origin_;
  std::vector<double> sum_;        // of the ones
  std::vector<double> other_sum_;  // of the others
  double product_ = 0;
  double squares_ = 0;
  double other_squares_ = 0;
  std::uint64_t pairs_ = 0;
};

}  // namespace virnucpro
