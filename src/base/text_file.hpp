#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/steady_file.hpp"

namespace virnucpro {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // in UTF-8

// Reads a small text without its byte-order mark. Errors: `kind` if the text is UTF-16, longer than
// `limit` bytes or not a regular file; `kind` or a system failure's kind if reading fails.
std::string read_small_text(const std::filesystem::path& path, std::size_t limit, ErrorKind kind);

// Reads the lines of a file of any size, without its byte-order mark. Memory holds one block and
// one line. Text that another process appends after the file was opened is not read.
class FileLines {
 public:
  enum class Found : std::uint8_t {
    kLine,
    kTooLong,     // a line of more than `longest` bytes; text() is its beginning
    kWithoutEnd,  // the last line, without a line end
    kNone,
  };

  // Opens the file. Errors: kInputMissing.
  FileLines(const std::filesystem::path& path, std::size_t longest);

  const SteadyFile& file() const { return file_; }
  // Finds the next line. Errors: kInputRead; kInputChanged if the file was cut meanwhile;
  // kInputFormat for UTF-16.
  Found next();
  // These return the line that next() found, without its line end, and the line's byte offset.
  std::string_view text() const { return text_; }
  std::uint64_t offset() const { return offset_; }

 private:
  bool read_more();
  std::uint64_t place() const { return read_ - (block_.size() - at_); }

  SteadyFile file_;
  std::size_t longest_;
  std::string block_;       // bytes read and not yet dropped
  std::size_t at_ = 0;      // in block_: the first byte that next() has not passed
  std::uint64_t read_ = 0;  // bytes read so far
  bool in_line_ = false;    // true: next() skips the rest of a line that is too long
  std::string_view text_;
  std::uint64_t offset_ = 0;
};

inline constexpr std::size_t kLongestLine = 64U << 10U;

// Calls `visit` for each line, without its line end. Text after the last line end is skipped,
// because the process that wrote it was killed. For a line of more than `longest` bytes, `visit`
// gets an empty line. Errors: those of FileLines.
void for_each_line(const std::filesystem::path& file,
                   const std::function<void(std::string_view)>& visit,
                   std::size_t longest = kLongestLine);

}  // namespace virnucpro
