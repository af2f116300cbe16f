#pragma once

#include <cstddef>

#include "tensor/matrix.hpp"

namespace virnucpro {

// Allocates from one region of device memory; rewind() frees many allocations at once. An arena
// without a region only counts bytes, so that a batch's own code can plan the region's size.
class Arena {
 public:
  Arena() = default;
  Arena(void* base, std::size_t bytes);

  // Returns memory aligned to 256 bytes; null without a region. Errors: kInternal if it is full.
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
