#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/file.hpp"

namespace virnucpro {

// A temporary file in a folder, written once from start to end and read at any place. It has no
// name, so that none remains however the process ends. Errors: kOutputWrite.
class SpillFile {
 public:
  explicit SpillFile(const Directory& directory);

  void append(std::string_view bytes);
  std::uint64_t size() const { return written_ + buffer_.size(); }
  // Fills `out` from `offset` on. Call flush() after the last append() first.
  void read(std::uint64_t offset, std::span<char> out) const;
  void flush();

 private:
  std::filesystem::path directory_;
  UniqueFd fd_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace virnucpro
