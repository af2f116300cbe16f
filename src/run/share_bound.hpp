#pragma once

#include <cstdint>

namespace virnucpro {

// Returns the upper end of the exact one-sided interval of a binomial share, `part` of `whole`
// (Clopper and Pearson 1934, Biometrika 26:404). The true share is below it with at least this
// confidence (0 to 1). `whole` must be above 0. The counts need not be whole numbers.
double upper_bound_of_share(double part, double whole, double confidence);

// A share of sequences that come in groups, such as those of one genome. Sequences of a group tend
// to have the same call, so they are not independent.
class GroupedShare {
 public:
  // Adds a group of `whole` sequences, none of which counts for the share yet. The caller
  // remembers how many sequences of each group count.
  void add_group(std::uint64_t whole);
  // Counts one more sequence of a group of `whole` sequences, of which `part` count already.
  void count_one(std::uint64_t part, std::uint64_t whole);

  // Returns the number of groups of equal size that would give as much information (Kish 1965,
  // Survey Sampling): the square of the sum of the sizes over the sum of their squares.
  double equal_groups() const { return whole_ * whole_ / whole_squares_; }
  // Returns the effective number of sequences: the share in so many independent sequences would
  // have the variance that is seen between the groups. The number is at most that of all sequences,
  // and corrected with Student's t for few groups (Korn and Graubard 1998, Survey Methodology
  // 24:193). If all calls are equal or there is one group, no variance can be seen: returns
  // equal_groups().
  double effective(double confidence) const;
  // Returns upper_bound_of_share() for the effective number. The result is never below the bound
  // for 0 of equal_groups() sequences, because the variance of few calls says little.
  double upper_bound(double confidence) const;

 private:
  std::uint64_t groups_ = 0;
  double part_ = 0;
  double whole_ = 0;
  // The sums of part², part · whole and whole² over the groups.
  double part_squares_ = 0;
  double products_ = 0;
  double whole_squares_ = 0;
};

}  // namespace virnucpro
