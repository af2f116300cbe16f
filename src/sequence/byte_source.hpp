#pragma once

#include <cstddef>
#include <span>

namespace virnucpro {

// Where the text of an input comes from, decompressed.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills the front of `buffer` (which is not empty) and returns how many bytes it wrote; 0 means
  // that the text is at its end and was whole. Throws Error without a place: the reader knows it.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

}  // namespace virnucpro
