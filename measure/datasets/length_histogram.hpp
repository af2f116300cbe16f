#pragma once

#include <cstdint>
#include <vector>

namespace virnucpro {

// A length in letters, and the number of sequences up to this length.
struct LengthStep {
  std::uint64_t length = 0;
  std::uint64_t up_to = 0;  // sequences of this length or shorter
};

// Counts sequences by length, in less than 1 MiB of memory. Lengths up to 8191 letters are exact.
// Longer lengths are grouped in intervals of less than 1/4096 of the length, and count as the
// shortest of their interval. Number, sum, shortest and longest are exact.
class LengthHistogram {
 public:
  void add(std::uint64_t length);

  std::uint64_t count() const { return count_; }
  std::uint64_t letters() const { return letters_; }
  std::uint64_t min() const { return min_; }  // 0 without sequences, like all figures below
  std::uint64_t max() const { return max_; }
  double mean() const;
  // Returns the smallest length that `percent` % of the sequences do not exceed; 50: the median.
  std::uint64_t percentile(std::uint64_t percent) const;
  // Returns a step for each length that occurs, in ascending order.
  std::vector<LengthStep> steps() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t letters_ = 0;
  std::uint64_t min_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace virnucpro
