#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro::fuzz {

// A file in memory that holds the bytes.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_.get() < 0 || write_all(file_.get(), bytes) != 0) std::abort();
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  UniqueFd file_;
};

}  // namespace virnucpro::fuzz
