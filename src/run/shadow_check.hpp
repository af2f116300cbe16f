#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// A group of the chunks that are not computed again, by the distance from the other call.
struct ShadowStratum {
  double from = 0;    // in units: see shadow_distance()
  double factor = 0;  // a chunk's chance as a multiple of the share
};
// Calls near the margin are more likely to be wrong, so more of them are sampled.
inline constexpr double kLeastShadow = 1e-6;  // share of the chunks
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

// Chooses whole chunks by a hash of their names, with one chance for each stratum. So the sample is
// the same in any batch, shard and resume, and no score changes. A hash of the letters would choose
// all copies of a read together.
class ShadowCheck {
 public:
  // `share`, above 0, is that of the chunks furthest from the other call. `margin` is in logits.
  ShadowCheck(double share, double margin, ShadowCounters& counters);

  // True if a chunk of this name is chosen when its call is near enough to the other call.
  bool may_choose(const Hash128& name) const;
  // Counts a chunk whose call is `distance` logits from the other call. Returns the chunk's stratum
  // if it must be computed in the check precision as well, else kNone.
  std::size_t choose(double distance, const Hash128& name);
  // Adds a compared chunk. `coarse` and `fine` are the logits of its frames, in the same order.
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
// Adds up the strata's changed calls, each divided by its chance. The interval is the gamma
// interval for weighted sums of Poisson counts (Fay and Feuer 1997, Statistics in Medicine 16:791):
// it allows different chances, and gives an upper end even without a changed call. A stratum that
// was compared as a whole adds its count. The ends stay within what the counts allow.
ShadowEstimate shadow_estimate(const ShadowCounters& counters, double share);

}  // namespace virnucpro
