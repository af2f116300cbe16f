#pragma once

#include <sys/mman.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace virnucpro {

// A file in memory that has a path. For tests that parse very many files.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(::memfd_create("file", MFD_CLOEXEC)) {
    if (fd_.get() < 0 || write_all(fd_.get(), bytes) != 0) {
      throw std::runtime_error("no file in memory");
    }
  }

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  UniqueFd fd_;
};

}  // namespace virnucpro
