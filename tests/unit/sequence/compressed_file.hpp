#pragma once

#include <htslib/bgzf.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace virnucpro {

// A folder of this test, removed at its end.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "virnucpro_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string path(std::string_view name) const { return (path_ / name).string(); }
  std::string write(std::string_view name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Compresses `parts` with htslib; each part ends with a flush (its own BGZF block). `mode`: "w"
// BGZF, "wg" one gzip member.
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
  return content_of(path);
}

inline std::string gzip(std::string_view text) {
  return compressed({text}, "wg");
}

}  // namespace virnucpro
