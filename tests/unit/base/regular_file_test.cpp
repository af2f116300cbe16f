#include "base/regular_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

TEST(RegularFile, IsOpened) {
  const TempDir directory;
  write_text(directory / "file", "x");
  EXPECT_EQ(other_kind_of(directory / "file"), "");
  EXPECT_GE(open_regular_file(directory / "file", O_RDONLY).get(), 0);
  EXPECT_EQ(other_kind_of(directory / "none"), "");
  EXPECT_LT(open_regular_file(directory / "none", O_RDONLY).get(), 0);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_GE(open_regular_file(directory / "new", O_RDWR | O_CREAT | O_EXCL).get(), 0);
}

TEST(RegularFile, IsNothingElse) {
  const TempDir directory;
  write_text(directory / "file", "x");
  std::filesystem::create_symlink(directory / "file", directory / "link");
  std::filesystem::create_symlink(directory / "none", directory / "dangling");
  std::filesystem::create_directory(directory / "folder");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  const std::vector<std::pair<std::filesystem::path, const char*>> others{
      {directory / "link", "a symbolic link"},
      {directory / "dangling", "a symbolic link"},
      {directory / "folder", "a directory"},
      {directory / "pipe", "a named pipe"},
      {"/dev/null", "a device"},
  };
  for (const auto& [path, kind] : others) {
    EXPECT_EQ(other_kind_of(path), kind);
    for (const int flags : {O_RDONLY, O_RDWR | O_CREAT}) {
      EXPECT_LT(open_regular_file(path, flags).get(), 0) << path;
      EXPECT_TRUE(errno == ELOOP || errno == EINVAL) << path;
    }
  }
}

}  // namespace
}  // namespace virnucpro
