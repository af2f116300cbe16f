#pragma once

#include <cstddef>

#include "tensor/matrix.hpp"

namespace virnucpro {

// Divides one region of device memory, front to back; a batch frees everything at once. Without a
// region it only counts, so that the code that will use the memory also plans its size.
class Arena {
 public:
  Arena() = default;
  Arena(void* base, std::size_t bytes);

  // Aligned to 256 bytes, as cudaMalloc does. Errors: kInternal beyond the region's end.
  void* allocate(std::size_t bytes);
  DeviceMatrix matrix(std::size_t rows, std::size_t width, Element element);

  std::size_t used() const { return used_; }
  std::size_t most() const { return most_; }  // the highest so far
  // Frees everything that was allocated since used() returned `used`.
  void rewind(std::size_t used) { used_ = used; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
};

}  // namespace virnucpro
