#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "sequence/byte_source.hpp"

namespace virnucpro {

// A part of a line, valid until the next call. A line longer than the window has several parts.
struct LinePiece {
  std::string_view text;     // without the line end
  std::uint64_t offset = 0;  // offset of the first byte of `text`
  bool ends_line = false;    // false also for a last line without a line end
};

// Reads a text line by line in bounded memory. As in Python's text files, a line ends at LF, CR LF
// or a lone CR. A byte-order mark at the start is skipped. All bytes read are hashed.
class LineReader {
 public:
  explicit LineReader(ByteSource& source);

  // Reads the next piece. Returns false at the end of the text.
  bool next(LinePiece& piece);
  // Returns the next byte, which stays unread; empty at the end. If the next line is blank, this is
  // the first byte of its line end.
  std::optional<char> peek();

  // Returns the beginning of the text: at least kStartBytes, or all of a shorter text; empty if the
  // text begins with a byte-order mark. Call it before the first line is read.
  std::string_view start();

  static constexpr std::size_t kStartBytes = 6;  // including a byte-order mark

  std::uint64_t offset() const { return buffer_offset_ + begin_; }  // offset of the next byte
  std::uint64_t bytes() const { return buffer_offset_ + end_; }     // number of bytes read so far
  std::string hash() const { return hash_.hex(); }                  // XXH3-128 of all bytes read

 private:
  std::size_t find_line_feed();
  bool fill();
  void skip_line_end();

  ByteSource& source_;
  ContentHash hash_;
  std::vector<char> buffer_;
  std::uint64_t buffer_offset_ = 0;  // the offset of buffer_[0] in the text
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t line_feed_ = 0;  // index of a line feed, or end_; valid only if > begin_
  bool after_cr_ = false;      // the last buffer ended with a CR; a LF may belong to it
};

}  // namespace virnucpro
