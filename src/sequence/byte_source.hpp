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

  // Writes the next bytes into `buffer` (not empty), from its start, and returns how many. 0 means
  // that the text has ended and is complete. Throws an Error without a place; the caller adds the
  // place.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

}  // namespace virnucpro
