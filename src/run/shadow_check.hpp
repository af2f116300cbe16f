#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// Chunks whose calls are so far from the other one that they are not computed again, by how far.
struct ShadowStratum {
  double from = 0;    // logits, as a multiple of the unit
  double factor = 0;  // of the share of chunks that is computed
};
// Calls near the margin are more likely to be wrong, so more of them are looked at.
inline constexpr double kLeastShadow = 1e-6;  // share
inline constexpr std::array<ShadowStratum, kShadowStrata> kShadowRule{
    ShadowStratum{.from = 0, .factor = 64}, ShadowStratum{.from = 2, .factor = 16},
    ShadowStratum{.from = 4, .factor = 4}, ShadowStratum{.from = 8, .factor = 1}};

// How many of the calls that stay as they are would be another one in the check precision,
// estimated from a sample of them.
struct ShadowEstimate {
  std::uint64_t chunks = 0;   // whose calls stay
  std::uint64_t sampled = 0;  // of these
  double changed = 0;         // estimated, of all of them
  double low = 0;             // its 95 % interval
  double high = 0;
};

// Chooses chunks by a hash of their names: of all of a stratum with the same chance, and the same
// ones however the run goes. By what they hold, copies of one read would be chosen together.
class ShadowCheck {
 public:
  // `share`: of the chunks furthest from the boundary, above 0; `margin`: in logits.
  ShadowCheck(double share, double margin, ShadowCounters& counters);

  // Whether a chunk of this name might be chosen, if its call is near enough to the other one.
  bool may_choose(const Hash128& name) const;
  // Counts a chunk whose call is `distance` logits from the other one, and returns its stratum if
  // it is to be computed in the check precision as well, or kNone.
  std::size_t choose(double distance, const Hash128& name);
  // What that computation said; its frames' logits, in the same order.
  void record(std::size_t stratum, bool changed, std::span<const double> coarse,
              std::span<const double> fine);

  static constexpr std::size_t kNone = kShadowStrata;

 private:
  double share_;
  double margin_;
  ShadowCounters& counters_;
};

// Where a stratum begins, in logits from the other call.
double shadow_distance(std::size_t stratum, double margin);
// The share of a stratum's chunks that are computed.
double shadow_chance(std::size_t stratum, double share);
// The sum of the strata's changed calls over their chances, with the gamma interval for weighted
// sums of Poisson counts (Fay and Feuer 1997, Statistics in Medicine 16:791). A stratum that was
// looked at as a whole adds what it has; no end goes beyond what the counts leave possible.
ShadowEstimate shadow_estimate(const ShadowCounters& counters, double share);

}  // namespace virnucpro
