#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// A group of chunks that are not computed again and have a similar CallMargin::distance().
struct ShadowStratum {
  double from = 0;    // in margins: see shadow_distance()
  double factor = 0;  // a chunk's probability to be sampled, divided by the user's share
};
inline constexpr double kLeastShadow = 1e-6;  // the least share above 0 that a user may choose
// This rule samples more of the calls near the margin, which are more likely to be wrong.
inline constexpr std::array<ShadowStratum, kShadowStrata> kShadowRule{
    ShadowStratum{.from = 0, .factor = 64}, ShadowStratum{.from = 2, .factor = 16},
    ShadowStratum{.from = 4, .factor = 4}, ShadowStratum{.from = 8, .factor = 1}};

// An estimate, from a sample, of how many of the calls that were not computed again would change in
// the check precision.
struct ShadowEstimate {
  std::uint64_t chunks = 0;   // chunks not computed again
  std::uint64_t sampled = 0;  // computed for comparison
  double changed = 0;         // estimated number of changed calls
  double low = 0;             // 95 % interval of `changed`
  double high = 0;
};

// Chooses whole chunks by a hash of their names, so that batches, shards and resumes do not change
// the sample. Each stratum has its own probability. Letters are not hashed, because then all copies
// of a read would be chosen together.
class ShadowCheck {
 public:
  // `share` (above 0) is the chance to sample a chunk of the last stratum. `margin` is in logits.
  ShadowCheck(double share, double margin, ShadowCounters& counters);

  // False if choose() cannot choose a chunk of this name, whatever its distance.
  bool may_choose(const Hash128& name) const;
  // Counts a chunk; `distance` is its CallMargin::distance(). Returns the chunk's stratum if the
  // chunk must be computed in the check precision as well, else kNone.
  std::size_t choose(double distance, const Hash128& name);
  // Counts a compared chunk. `coarse` and `fine` are its frames' logits, in the same order.
  void record(std::size_t stratum, bool changed, std::span<const double> coarse,
              std::span<const double> fine);

  static constexpr std::size_t kNone = kShadowStrata;

 private:
  double share_;
  double margin_;
  ShadowCounters& counters_;
};

// Returns the CallMargin::distance() at which a stratum begins, in logits.
double shadow_distance(std::size_t stratum, double margin);
// Returns the share of a stratum's chunks that are sampled, from 0 to 1.
double shadow_chance(std::size_t stratum, double share);
// Adds up the strata's changed calls, each divided by its stratum's shadow_chance(). The interval
// is the gamma interval for weighted sums of Poisson counts (Fay and Feuer 1997, Statistics in
// Medicine 16:791): it allows different probabilities, and has an upper end even without a changed
// call. A stratum that was compared completely adds its exact count. The interval's ends stay
// within the numbers that the counts allow.
ShadowEstimate shadow_estimate(const ShadowCounters& counters, double share);

}  // namespace virnucpro
