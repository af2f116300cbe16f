#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

// A new folder for one test. The destructor removes the folder and everything in it.
class TempDir {
 public:
  TempDir() {
    std::string name = testing::TempDir() + "virnucpro-run-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t entries() const {
    using Iterator = std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(Iterator(path_), Iterator()));
  }

 private:
  std::filesystem::path path_;
};

// Returns the names in a folder, sorted.
inline std::vector<std::string> file_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Returns the Error that `body` throws, if it throws one.
template <typename Body>
std::optional<Error> caught(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// Returns the Error that `body` throws; fails the test if it throws none.
template <typename Body>
Error thrown(const Body& body) {
  const std::optional<Error> error = caught(body);
  EXPECT_TRUE(error) << "nothing was thrown";
  return error.value_or(Error(ErrorKind::kInternal, "nothing was thrown"));
}

template <typename Body>
ErrorKind thrown_kind(const Body& body) {
  return thrown(body).kind();
}

// Returns the detail of the Error that `body` throws, which must be of this kind; empty if it
// throws none.
template <typename Body>
std::string reason_of(ErrorKind kind, const Body& body) {
  const std::optional<Error> error = caught(body);
  if (!error) return "";
  EXPECT_EQ(error->kind(), kind) << error->what();
  return error->detail();
}

}  // namespace virnucpro
