#include "base/limits.hpp"

namespace virnucpro {

// Only this source is compiled twice: test programs with tiny limits link all other objects of the
// usual build.
#ifdef VIRNUCPRO_TINY
constexpr Limits kLimits{.chunks_per_block = 1,
                         .blocks_in_flight = 1,
                         .frames_in_window = 2,
                         .frames_per_batch = 2,
                         .parts_per_drain = 3,
                         .batches_in_flight = 1,
                         .frames_per_unit = 1,
                         .sequences_per_unit = 1,
                         .rows_in_sort = 2,
                         .seconds_until_early = 0};
#else
constexpr Limits kLimits{.chunks_per_block = 64,
                         .blocks_in_flight = 64,
                         .frames_in_window = 2048,
                         .frames_per_batch = 65536,
                         .parts_per_drain = 1U << 17U,
                         .batches_in_flight = 64,
                         .frames_per_unit = 256,
                         .sequences_per_unit = 4096,
                         .rows_in_sort = 1U << 20U,
                         .seconds_until_early = 2};
#endif

const Limits& limits() {
  return kLimits;
}

}  // namespace virnucpro
