#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"

namespace virnucpro {

// A file of lines, under one header line where it has one. Each append is one write at the end of
// the file, so that a process that is killed leaves every line before; one that fails leaves no
// part of it.
class LineFile {
 public:
  explicit LineFile(std::filesystem::path path, std::string_view header = {})
      : path_(std::move(path)), header_(header) {}

  const std::filesystem::path& path() const { return path_; }
  // Opens the file when it is not open yet. Returns 0, or errno as the failed call left it; the
  // next one tries again.
  int append(std::string_view lines);

 private:
  int open();
  int write(std::string_view text);

  std::filesystem::path path_;
  std::string header_;
  UniqueFd fd_;
};

}  // namespace virnucpro
