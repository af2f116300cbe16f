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

// Reads a small text, without its byte-order mark. Errors: `kind` if it is UTF-16, longer than
// `limit` or not a regular file; `kind` or a system failure's kind if it cannot be read.
std::string read_small_text(const std::filesystem::path& path, std::size_t limit, ErrorKind kind);

// Reads the lines of a file of any size, without its byte-order mark. Memory holds a block and a
// line. Text that is appended after the file was opened is not read.
class FileLines {
 public:
  enum class Found : std::uint8_t {
    kLine,
    kTooLong,     // longer than `longest` bytes; text() is its beginning
    kWithoutEnd,  // the file's last line
    kNone,
  };

  // Opens the file. Errors: kInputMissing.
  FileLines(const std::filesystem::path& path, std::size_t longest);

  const SteadyFile& file() const { return file_; }
  // Finds the next line. Errors: kInputRead; kInputChanged if the file was cut meanwhile;
  // kInputFormat for UTF-16.
  Found next();
  // These return the line that next() found, without its end, and the offset of its first byte.
  std::string_view text() const { return text_; }
  std::uint64_t offset() const { return offset_; }

 private:
  bool read_more();
  std::uint64_t place() const { return read_ - (block_.size() - at_); }

  SteadyFile file_;
  std::size_t longest_;
  std::string block_;       // the last block read
  std::size_t at_ = 0;      // the first byte in block_ that was not passed yet
  std::uint64_t read_ = 0;  // bytes read so far
  bool in_line_ = false;    // true: skip the rest of a line that is too long
  std::string_view text_;
  std::uint64_t offset_ = 0;
};

inline constexpr std::size_t kLongestLine = 64U << 10U;

// Calls `visit` for each line, without its line end. Text after the last line end is skipped,
// because its writer was killed. A line longer than `longest` bytes is passed as empty. Errors:
// those of FileLines.
void for_each_line(const std::filesystem::path& file,
                   const std::function<void(std::string_view)>& visit,
                   std::size_t longest = kLongestLine);

}  // namespace virnucpro
