#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "sequence/byte_source.hpp"

namespace virnucpro {

// The bytes of a binary text, one after the other, in bounded memory. Everything that was read is
// hashed. Errors: kInputTruncated, without a place, where more is asked for than there is; and
// those of the source.
class ByteWindow {
 public:
  explicit ByteWindow(ByteSource& source);

  bool at_end();
  // The next `size` bytes, at most 64 KiB, valid until the next call.
  std::string_view read(std::size_t size);
  // At least one and at most `most` of the next bytes, as many as are at hand. `most` is not 0.
  std::string_view read_some(std::uint64_t most);
  void skip(std::uint64_t size);
  std::uint32_t read_u32();  // little endian

  std::uint64_t offset() const { return buffer_offset_ + begin_; }  // of the next byte
  std::uint64_t bytes() const { return buffer_offset_ + end_; }     // read so far
  std::string hash() const { return hash_.hex(); }                  // XXH3-128 of them

 private:
  bool fill();
  void require(std::size_t size);

  ByteSource& source_;
  ContentHash hash_;
  std::vector<char> buffer_;
  std::uint64_t buffer_offset_ = 0;  // of buffer_[0] in the text
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// Numbers as binary formats have them, little endian, at `offset` of `bytes`.
std::uint16_t u16_at(std::string_view bytes, std::size_t offset);
std::uint32_t u32_at(std::string_view bytes, std::size_t offset);
std::int32_t i32_at(std::string_view bytes, std::size_t offset);

}  // namespace virnucpro
