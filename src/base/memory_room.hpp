#pragma once

#include <cstddef>

namespace virnucpro {

// True if the system would give this process `bytes` more memory now. A signal handler may call
// this function, which keeps errno.
bool has_room(std::size_t bytes);

// True if hardly any memory is left. A crash is then reported as a lack of memory, because it
// cannot be caught: oneDNN writes to memory that it did not get, and glibc aborts. The limit is
// above the requests at which libraries crash. A signal handler may call this function.
inline bool memory_is_scarce() {
  return !has_room(std::size_t{64} << 20U);
}

}  // namespace virnucpro
