#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/directory.hpp"
#include "base/file.hpp"

namespace virnucpro {

// A file of lines, perhaps with a header line. Each append() is one write at the file's end, so
// that earlier lines survive if the process is killed. A failed append() removes what it wrote.
class LineFile {
 public:
  explicit LineFile(FilePlace place, std::string_view header = {})
      : place_(std::move(place)), header_(header) {}

  const std::filesystem::path& path() const { return place_.path; }
  // Appends lines; opens the file if necessary. Returns 0, or errno of what failed. After a
  // failure, append() may be called again.
  int append(std::string_view lines);
  // Syncs the appended lines to disk. Returns 0, or errno.
  int sync();

 private:
  int open();
  int write(std::string_view text);

  FilePlace place_;
  std::string header_;
  UniqueFd fd_;
};

}  // namespace virnucpro
