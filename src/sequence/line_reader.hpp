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

// A part of a line, valid until the next call. A line longer than the window comes in several.
struct LinePiece {
  std::string_view text;     // without the line end
  std::uint64_t offset = 0;  // of its first byte in the text
  bool ends_line = false;    // false too for the last line of a text without a final line end
};

// The lines of a text in bounded memory. A line ends at LF, CR LF or a lone CR, as Python's text
// files have it. A byte-order mark at the start is skipped. Everything that was read is hashed.
class LineReader {
 public:
  explicit LineReader(ByteSource& source);

  // The next piece; false at the end of the text.
  bool next(LinePiece& piece);
  // The byte that comes next without taking it; empty at the end of the text. At the start of a
  // blank line it is the line end.
  std::optional<char> peek();

  // What the text starts with, kStartBytes of it where there are as many; nothing behind a
  // byte-order mark. Only before the first line was taken.
  std::string_view start();

  static constexpr std::size_t kStartBytes = 6;  // a byte-order mark among them

  std::uint64_t offset() const { return buffer_offset_ + begin_; }  // of the next byte
  std::uint64_t bytes() const { return buffer_offset_ + end_; }     // read so far
  std::string hash() const { return hash_.hex(); }                  // XXH3-128 of them

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
  std::size_t line_feed_ = 0;  // the first one from begin_ on, or end_; stale up to begin_
  bool after_cr_ = false;      // a CR ended the last line at the buffer's end: a LF belongs to it
};

}  // namespace virnucpro
