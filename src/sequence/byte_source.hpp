#pragma once

#include <cstddef>
#include <span>

namespace virnucpro {

// A source of an input's decompressed text.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills the front of `buffer` (not empty) and returns how many bytes it wrote; 0 means that the
  // text ended and was complete. Throws an Error without a place; the reader adds the place.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

}  // namespace virnucpro
