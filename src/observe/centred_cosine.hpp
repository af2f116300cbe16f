#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace virnucpro {

// One cosine over all pairs of vectors x and y, less the mean m of all y:
// sum (x − m)·(y − m) / sqrt(sum |x − m|² · sum |y − m|²). It needs only sums: a cosine for each
// pair would need a second pass over embeddings, which are not kept. One thread adds, others may
// read.
class CentredCosine {
 public:
  // Adds a pair. All vectors must have one length.
  void add(std::span<const float> one, std::span<const float> other);
  // Returns the cosine; empty for fewer than two pairs, or if all vectors are alike.
  std::optional<double> value() const;
  void reset();

 private:
  mutable std::mutex mutex_;
  // The first `other`, which is subtracted: a large constant part would drown the rest.
  std::vector<double> origin_;
  std::vector<double> sum_;        // sum of each `one`
  std::vector<double> other_sum_;  // sum of each `other`
  double product_ = 0;
  double squares_ = 0;
  double other_squares_ = 0;
  std::uint64_t pairs_ = 0;
};

}  // namespace virnucpro
