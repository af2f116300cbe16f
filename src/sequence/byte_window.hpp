#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "sequence/byte_source.hpp"

namespace virnucpro {

// Reads binary data through a window of 64 KiB and hashes all bytes. Errors: kInputTruncated, which
// names no place, if a call asks for more bytes than are left; those of the source.
class ByteWindow {
 public:
  explicit ByteWindow(ByteSource& source);

  bool at_end();
  // Returns the next `size` bytes, at most 64 KiB, valid until the next call.
  std::string_view read(std::size_t size);
  // Returns the next bytes that are in the window: at least one, at most `most` (which is not 0).
  std::string_view read_some(std::uint64_t most);
  void skip(std::uint64_t size);
  // Skips all bytes up to and including the next byte `last`, and returns their number. If the next
  // `most` bytes do not contain `last`, skips these bytes and returns 0.
  std::uint64_t skip_past(char last, std::uint64_t most);
  std::uint32_t read_u32() { return value_at<std::uint32_t>(read(sizeof(std::uint32_t))); }

  std::uint64_t offset() const { return buffer_offset_ + begin_; }  // offset of the next byte
  std::uint64_t bytes() const { return buffer_offset_ + end_; }     // number of bytes read so far
  std::string hash() const { return hash_.hex(); }  // XXH3-128 of the bytes read so far

 private:
  bool fill();
  void require(std::size_t size);

  ByteSource& source_;
  ContentHash hash_;
  std::vector<char> buffer_;
  std::uint64_t buffer_offset_ = 0;  // the offset of buffer_[0] in the text
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace virnucpro
