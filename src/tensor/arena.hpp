#pragma once

#include <cstddef>

#include "tensor/matrix.hpp"

namespace virnucpro {

// Hands out one region of device memory front to back; what a batch takes is all given back at
// once. Without a region it only counts: so the memory that a batch will need is planned by the
// code that will take it.
class Arena {
 public:
  Arena() = default;
  Arena(void* base, std::size_t bytes);

  // `bytes` on 256, the alignment of cudaMalloc. Errors: kInternal beyond the region's end.
  void* allocate(std::size_t bytes);
  DeviceMatrix matrix(std::size_t rows, std::size_t width, Element element);

  std::size_t used() const { return used_; }
  std::size_t most() const { return most_; }  // ever used
  // Gives back what was taken since `used` was the use.
  void rewind(std::size_t used) { used_ = used; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
};

}  // namespace virnucpro
