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

// Reads a binary text in bounded memory and hashes everything it reads. Errors: kInputTruncated
// without a place, if a call wants more bytes than the text has; and those of the source.
class ByteWindow {
 public:
  explicit ByteWindow(ByteSource& source);

  bool at_end();
  // Returns the next `size` bytes, at most 64 KiB, valid until the next call.
  std::string_view read(std::size_t size);
  // Returns the next bytes, as many as the window has: at least one, at most `most` (not 0).
  std::string_view read_some(std::uint64_t most);
  void skip(std::uint64_t size);
  // Skips up to and including the next `last`, if it is among the next `most` bytes. Returns how
  // many bytes it skipped; 0 if `last` is not there.
  std::uint64_t skip_past(char last, std::uint64_t most);
  std::uint32_t read_u32() { return value_at<std::uint32_t>(read(sizeof(std::uint32_t))); }

  std::uint64_t offset() const { return buffer_offset_ + begin_; }  // of the next byte
  std::uint64_t bytes() const { return buffer_offset_ + end_; }     // read so far
  std::string hash() const { return hash_.hex(); }                  // XXH3-128 of these bytes

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

}  // namespace virnucpro
