#pragma once

#include <htslib/bgzf.h>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "unit/temp_dir.hpp"

namespace virnucpro {

// A folder for one test. Its functions return paths as strings.
class TestFolder : public TempDir {
 public:
  std::string path(std::string_view name) const { return *this / std::string(name); }
  std::string write(std::string_view name, std::string_view content) const {
    write_text(path(name), std::string(content));
    return path(name);
  }
};

// Compresses `parts` with htslib; each part ends with a flush, so it has its own BGZF block.
// `mode`: "w" for BGZF, "wg" for one gzip member.
inline std::string compressed(std::initializer_list<std::string_view> parts, const char* mode) {
  const TestFolder folder;
  const std::string path = folder.path("compressed");
  BGZF* const stream = bgzf_open(path.c_str(), mode);
  if (stream == nullptr) throw std::runtime_error("bgzf_open");
  bool whole = true;
  for (const std::string_view part : parts) {
    whole = bgzf_write(stream, part.data(), part.size()) == std::ssize(part) && whole;
    whole = bgzf_flush(stream) == 0 && whole;
  }
  whole = bgzf_close(stream) == 0 && whole;
  if (!whole) throw std::runtime_error("bgzf_write");
  return read_text(path);
}

inline std::string gzip(std::string_view text) {
  return compressed({text}, "wg");
}

}  // namespace virnucpro
