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
  std::uint64_t offset = 0;  // of its first byte in the text
  bool ends_line = false;    // false also for a last line without a line end
};

// Reads a text line by line in bounded memory. As in Python's text files, a line ends at LF, CR LF
// or a lone CR. A byte-order mark at the start is skipped. Everything that was read is hashed.
class LineReader {
 public:
  explicit LineReader(ByteSource& source);

  // Reads the next piece; false at the end of the text.
  bool next(LinePiece& piece);
  // Returns the next byte without reading it; empty at the end of the text. On a blank line the
  // byte is the line end.
  std::optional<char> peek();

  // Returns the beginning of the text: at least kStartBytes, or all of a shorter text; fewer bytes
  // if a byte-order mark came before. Call it before the first line is read.
  std::string_view start();

  static constexpr std::size_t kStartBytes = 6;  // includes a byte-order mark

  std::uint64_t offset() const { return buffer_offset_ + begin_; }  // of the next byte
  std::uint64_t bytes() const { return buffer_offset_ + end_; }     // read so far
  std::string hash() const { return hash_.hex(); }                  // XXH3-128 of these bytes

 private:
  std::size_t find_line_feed();
  bool fill();
  void skip_line_end();

  ByteSource& source_;
  ContentHash hash_;
  std::vector<char> buffer_;
  std::uint64_t buffer_offset_ = 0;  // of buffer_[0] in the text
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t line_feed_ = 0;  // the first line feed from begin_ on, or end_; invalid before begin_
  bool after_cr_ = false;      // a CR ended the last line at the buffer's end; a LF belongs to it
};

}  // namespace virnucpro
