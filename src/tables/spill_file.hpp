#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace virnucpro {

// A temporary file, written once from start to end and read at any byte offset. The file has no
// name, so it disappears even if the process is killed. Errors: kOutputWrite; kTemporaryFolder if
// the file is in TMPDIR.
class SpillFile {
 public:
  // Creates the file in the folder TMPDIR. If TMPDIR is not set, creates it in `beside`, because
  // /tmp may be small or in memory.
  explicit SpillFile(const Directory& beside);

  void append(std::string_view bytes);
  std::uint64_t size() const { return written_ + buffer_.size(); }
  // Reads `out.size()` bytes from byte `offset` on. Call flush() between append() and read().
  void read(std::uint64_t offset, std::span<char> out) const;
  void flush();

 private:
  Error named(const Error& error) const;
  [[noreturn]] void fail(int error) const;

  bool follows_tmpdir_;
  std::filesystem::path directory_;
  UniqueFd fd_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace virnucpro
