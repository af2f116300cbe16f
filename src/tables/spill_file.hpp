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

// A temporary file, written once from start to end and read at any place. It has no name, so no
// file remains, however the process ends. Errors: kOutputWrite; in TMPDIR kTemporaryFolder.
class SpillFile {
 public:
  // Creates the file in the folder TMPDIR, which users set to a disk of the node. Without TMPDIR it
  // uses `beside`, as /tmp may be small, or memory.
  explicit SpillFile(const Directory& beside);

  void append(std::string_view bytes);
  std::uint64_t size() const { return written_ + buffer_.size(); }
  // Fills `out` from `offset` on. Before it, call flush() after the last append().
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
