#pragma once

#include <cstddef>

namespace virnucpro {

// How many processors this process may use: its affinity (taskset, a batch system's cpuset), which
// may be fewer than the machine has. At least 1.
std::size_t usable_processors();

}  // namespace virnucpro
