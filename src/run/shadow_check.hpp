#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// A group of the chunks that are not computed again, by how far their calls are from the other.
struct ShadowStratum {
  double from = 0;    // in units: see shadow_distance()
  double factor = 0;  // times the share is the chance
};
// Calls near the margin are more likely to be wrong, so more of them are sampled.
inline constexpr double kLeastShadow = 1e-6;  // share
inline constexpr std::array<ShadowStratum, kShadowStrata> kShadowRule{
    ShadowStratum{.from = 0, .factor = 64}, ShadowStratum{.from = 2, .factor = 16},
    ShadowStratum{.from = 4, .factor = 4}, ShadowStratum{.from = 8, .factor = 1}};

// The estimate, from a sample, of how many calls would change in the check precision, among those
// that were not computed again.
struct ShadowEstimate {
  std::uint64_t chunks = 0;   // not computed again
  std::uint64_t sampled = 0;  // of these, for comparison
  double changed = 0;         // estimated, among all of them
  double low = 0;             // its 95 % interval
  double high = 0;
};

// Chooses whole chunks by a hash of their names, with one chance for each stratum. So the sample is
// the same in any batch, shard and resume, and no score changes. A hash of the letters would choose
// all copies of a read together.
class ShadowCheck {
 public:
  // `share`: of the chunks furthest from the other call, above 0; `margin`: in logits.
  ShadowCheck(double share, double margin, ShadowCounters& counters);

  // True if a chunk of this name might be chosen, if its call is near enough to the other one.
  bool may_choose(const Hash128& name) const;
  // Counts a chunk whose call is `distance` logits from the other one, and returns its stratum if
  // it is to be computed in the check precision as well, or kNone.
  std::size_t choose(double distance, const Hash128& name);
  // Adds the result of that computation. `coarse`, `fine`: its frames' logits, in the same order.
  void record(std::size_t stratum, bool changed, std::span<const double> coarse,
              std::span<const double> fine);

  static constexpr std::size_t kNone = kShadowStrata;

 private:
  double share_;
  double margin_;
  ShadowCounters& counters_;
};

// Returns where a stratum begins, in logits from the other call.
double shadow_distance(std::size_t stratum, double margin);
// Returns the share of a stratum's chunks that are computed.
double shadow_chance(std::size_t stratum, double share);
// Adds up the strata's changed calls, each over its chance. The interval is the gamma interval for
// weighted sums of Poisson counts (Fay and Feuer 1997, Statistics in Medicine 16:791), as chances
// differ and no changed call still says "at most". A stratum that was compared as a whole adds its
// count. The ends stay within what the counts leave possible.
ShadowEstimate shadow_estimate(const ShadowCounters& counters, double share);

}  // namespace virnucpro
