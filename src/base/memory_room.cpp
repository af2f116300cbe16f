#include "base/memory_room.hpp"

#include <sys/mman.h>

#include <cerrno>

namespace virnucpro {

bool has_room(std::size_t bytes) {
  const int before = errno;
  void* const tried =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (tried != MAP_FAILED) ::munmap(tried, bytes);
  errno = before;
  return tried != MAP_FAILED;
}

}  // namespace virnucpro
