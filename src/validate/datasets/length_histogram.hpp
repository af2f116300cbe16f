#pragma once

#include <cstdint>
#include <vector>

namespace virnucpro {

// Sequences up to a length.
struct LengthStep {
  std::uint64_t length = 0;
  std::uint64_t up_to = 0;  // sequences that are not longer
};

// How many sequences have which length, in less than a MiB: exact up to 8191 letters. Longer ones
// are counted by intervals of less than 1/4096 of their length, and taken for the shortest of their
// interval. Number, sum, shortest and longest are exact.
class LengthHistogram {
 public:
  void add(std::uint64_t length);

  std::uint64_t count() const { return count_; }
  std::uint64_t letters() const { return letters_; }
  std::uint64_t min() const { return min_; }  // 0 of none, as all that follows
  std::uint64_t max() const { return max_; }
  double mean() const;
  // The smallest length that at least `percent` of all are not above: of 50 the median.
  std::uint64_t percentile(std::uint64_t percent) const;
  // Ascending, without the lengths that none has.
  std::vector<LengthStep> steps() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t letters_ = 0;
  std::uint64_t min_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace virnucpro
