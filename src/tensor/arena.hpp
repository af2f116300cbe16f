#pragma once

#include <cstddef>

#include "tensor/matrix.hpp"

namespace virnucpro {

// Divides one region of device memory, front to back; a batch frees everything at once. Without a
// region it only counts bytes, so that the code that will use the memory also plans its size.
class Arena {
 public:
  Arena() = default;
  Arena(void* base, std::size_t bytes);

  // Returns memory at a multiple of 256 bytes, like cudaMalloc. Errors: kInternal past the end.
  void* allocate(std::size_t bytes);
  DeviceMatrix matrix(std::size_t rows, std::size_t width, Element element);

  std::size_t used() const { return used_; }
  std::size_t most() const { return most_; }  // the largest used() so far
  // Frees everything that was allocated since used() returned `used`.
  void rewind(std::size_t used) { used_ = used; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
};

}  // namespace virnucpro
