#pragma once

#include <cstddef>

namespace virnucpro {

// Whether the system would give this process `bytes` more memory now. May be called in a signal
// handler, and keeps errno.
bool has_room(std::size_t bytes);

// Whether hardly any memory is left, so that a crash of a library comes from that. The limit is
// more than any library asks for at once when it crashes. As above in a signal handler.
inline bool memory_is_scarce() {
  return !has_room(std::size_t{64} << 20U);
}

}  // namespace virnucpro
