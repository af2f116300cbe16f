#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"

namespace virnucpro {

// A file of lines, perhaps with a header line. Each append is one write at the file's end, so that
// all earlier lines survive a kill; a failed append leaves nothing behind.
class LineFile {
 public:
  explicit LineFile(std::filesystem::path path, std::string_view header = {})
      : path_(std::move(path)), header_(header) {}

  const std::filesystem::path& path() const { return path_; }
  // Opens the file if necessary. Returns 0, or the errno of the failed call; the next call tries
  // again.
  int append(std::string_view lines);

 private:
  int open();
  int write(std::string_view text);

  std::filesystem::path path_;
  std::string header_;
  UniqueFd fd_;
};

}  // namespace virnucpro
