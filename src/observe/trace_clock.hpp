#pragma once

#include <chrono>
#include <cstdint>

namespace virnucpro {

// The clock of traces: CLOCK_MONOTONIC in nanoseconds, common to all processes of a host.
inline std::uint64_t trace_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace virnucpro
