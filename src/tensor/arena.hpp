#pragma once

#include <cstddef>

#include "tensor/matrix.hpp"

namespace virnucpro {

// Allocates from one region of device memory; rewind() frees many allocations at once. An arena
// without a region only counts bytes, so that code can plan a region's size before it allocates.
class Arena {
 public:
  Arena() = default;
  Arena(void* base, std::size_t bytes);

  // Returns memory aligned to 256 bytes; null without a region. Errors: kInternal (region full).
  void* allocate(std::size_t bytes);
  DeviceMatrix matrix(std::size_t rows, std::size_t width, Element element);

  std::size_t used() const { return used_; }
  std::size_t most() const { return most_; }  // the largest used() so far, in bytes
  // Frees everything that was allocated since used() returned `used`.
  void rewind(std::size_t used) { used_ = used; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
};

}  // namespace virnucpro
