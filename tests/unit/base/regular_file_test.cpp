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

TEST(RegularFile, IsTrustedIfNoStrangerCanHaveWrittenIt) {
  constexpr uid_t kUser = 1000;
  constexpr uid_t kStranger = 1001;
  const auto why = [](uid_t owner, mode_t mode) {
    struct stat status {};
    status.st_uid = owner;
    status.st_mode = mode;
    return why_distrusted(status, kUser);
  };
  for (const uid_t owner : {kUser, uid_t{0}}) {
    EXPECT_EQ(why(owner, S_IFDIR | 0755U), "");
    EXPECT_EQ(why(owner, S_IFDIR | 02775U), "");
    EXPECT_EQ(why(owner, S_IFDIR | 01777U), "");
    EXPECT_EQ(why(owner, S_IFREG | 0664U), "");
    EXPECT_NE(why(owner, S_IFDIR | 0777U), "");
    EXPECT_NE(why(owner, S_IFDIR | 0702U), "");
    EXPECT_NE(why(owner, S_IFREG | 0666U), "");
    EXPECT_NE(why(owner, S_IFREG | 01666U), "");  // this bit keeps nobody from writing to a file
  }
  EXPECT_EQ(why(kStranger, S_IFDIR | 0755U), "it belongs to another user (number 1001)");
  EXPECT_NE(why(kStranger, S_IFDIR | 01777U), "");
  EXPECT_NE(why(kStranger, S_IFREG | 0600U), "");
}

}  // namespace
}  // namespace virnucpro
