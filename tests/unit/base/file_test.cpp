#include "base/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/text_file.hpp"
#include "unit/file_size_limit.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_ / name; }
  template <typename Call>
  static ErrorKind kind_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_FALSE(error.place().file.empty());
      return error.kind();
    }
    return ErrorKind::kInternal;
  }

  const TempDir folder_;
};

TEST_F(Files, AnAtomicFileAppearsOnlyWhenCommitted) {
  write_text(path("out"), "before");
  {
    AtomicFile file(path("out"));
    file.write("new ");
    file.write("text");
    EXPECT_EQ(file.size(), 8U);
    EXPECT_EQ(read_text(path("out")), "before");
    file.commit();
    EXPECT_EQ(read_text(path("out")), "new text");
    EXPECT_FALSE(fs::exists(path("out.virnucpro-partial")));
  }
  EXPECT_EQ(read_text(path("out")), "new text");
}

TEST_F(Files, AnAtomicFileNotCommittedLeavesNothing) {
  {
    AtomicFile file(path("out"));
    file.write(std::string(3U << 20U, 'x'));
    EXPECT_TRUE(fs::exists(path("out.virnucpro-partial")));
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Files, AnAtomicFileWritesThroughNoLink) {
  write_text(path("precious"), "x");
  fs::create_symlink("precious", path("out"));
  write_text(path("out.virnucpro-partial"), "left by a killed process");
  fs::create_hard_link(path("out.virnucpro-partial"), path("other name"));
  AtomicFile file(path("out"));
  file.write("new");
  file.commit();
  EXPECT_FALSE(fs::is_symlink(path("out")));
  EXPECT_EQ(read_text(path("out")), "new");
  EXPECT_EQ(read_text(path("precious")), "x");
  EXPECT_EQ(read_text(path("other name")), "left by a killed process");
  fs::create_symlink("precious", path("linked.virnucpro-partial"));
  fs::create_directory(path("folder.virnucpro-partial"));
  for (const char* name : {"linked", "folder"}) {
    EXPECT_EQ(kind_of([&] { AtomicFile(path(name)); }), ErrorKind::kOutputExists);
  }
  EXPECT_EQ(read_text(path("precious")), "x");
}

TEST_F(Files, AnAtomicFileCanBeCutBackAndGoOn) {
  AtomicFile file(path("out"));
  const std::string much(2U << 20U, 'a');
  file.write(much);
  file.write("bc");
  file.truncate(much.size());
  file.write("d");
  file.truncate(file.size());
  EXPECT_EQ(file.size(), much.size() + 1);
  file.commit();
  EXPECT_EQ(read_text(path("out")), much + "d");
}

TEST_F(Files, OfTwoProcessesThatWriteOneFileTheLaterOneDoes) {
  AtomicFile first(path("out"));
  first.write("one");
  {
    AtomicFile second(path("out"));
    second.write("two");
    EXPECT_EQ(kind_of([&] { first.commit(); }), ErrorKind::kOutputBusy);
    second.commit();
  }
  EXPECT_EQ(read_text(path("out")), "two");
}

TEST_F(Files, WhatCannotBeWrittenIsAnError) {
  EXPECT_EQ(kind_of([&] { AtomicFile(path("no/such/folder/out")); }), ErrorKind::kOutputWrite);
  EXPECT_EQ(kind_of([&] { sync_directory(path("absent")); }), ErrorKind::kOutputWrite);
  fs::create_directory(path("taken"));
  AtomicFile onto_folder(path("taken"));
  EXPECT_EQ(kind_of([&] { onto_folder.commit(); }), ErrorKind::kOutputWrite);
}

TEST_F(Files, AFullDiskIsAnError) {
  const int kind = kind_with_full_disk(0, [&] {
    AtomicFile full(path("full"));
    full.write("x");
    full.commit();
  });
  EXPECT_EQ(kind, static_cast<int>(ErrorKind::kOutputWrite));
}

TEST_F(Files, FreeingSpaceIsTheRemedyOfAFullDiskAlone) {
  for (const int error : {ENOSPC, EDQUOT}) {
    EXPECT_THAT(write_error("a", error).remedy(), testing::StartsWith("Free space"));
  }
  for (const int error : {EACCES, EIO, EROFS}) {
    const Error failure = write_error("a", error, "what");
    EXPECT_EQ(failure.remedy(), failure.info().remedy);
    EXPECT_THAT(failure.remedy(), testing::Not(testing::HasSubstr("space")));
    EXPECT_EQ(failure.detail(), "what: " + errno_text(error));
  }
}

TEST_F(Files, ASmallFileIsReadUpToItsLimit) {
  write_text(path("small"), std::string(100, 's'));
  EXPECT_EQ(read_small_text(path("small"), 100, ErrorKind::kJson).size(), 100U);
  EXPECT_EQ(kind_of([&] { read_small_text(path("small"), 99, ErrorKind::kJson); }),
            ErrorKind::kJson);
  EXPECT_EQ(kind_of([&] { read_small_text(path("absent"), 9, ErrorKind::kConfig); }),
            ErrorKind::kConfig);
  EXPECT_EQ(kind_of([&] { read_small_text(folder_.path(), 9, ErrorKind::kConfig); }),
            ErrorKind::kConfig);
  EXPECT_EQ(kind_of([&] { read_small_text("/dev/zero", 1000, ErrorKind::kJson); }),
            ErrorKind::kJson);
}

TEST_F(Files, ADescriptorIsClosedOnce) {
  UniqueFd first(::dup(2));
  const int number = first.get();
  UniqueFd second(std::move(first));
  EXPECT_EQ(second.get(), number);
  UniqueFd third;
  third = std::move(second);
  EXPECT_EQ(third.release(), number);
  EXPECT_EQ(third.get(), -1);
  EXPECT_EQ(::close(number), 0);
}

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
  EXPECT_EQ(why(kStranger, S_IFDIR | 0755U), "it belongs to another user (user id 1001)");
  EXPECT_NE(why(kStranger, S_IFDIR | 01777U), "");
  EXPECT_NE(why(kStranger, S_IFREG | 0600U), "");
}

TEST(FileName, IsOnePartOfAPath) {
  for (const char* name : {"a", ".a", "...", "a b", "caf\xc3\xa9", "\xff", "a.fa.gz"}) {
    EXPECT_TRUE(is_file_name(name)) << name;
  }
  for (const char* name : {"", ".", "..", "/", "a/", "/a", "../a", "a\n", "\x1b[2J", "\x7f"}) {
    EXPECT_FALSE(is_file_name(name)) << name;
  }
  EXPECT_FALSE(is_file_name(std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_file_name(std::string(255, 'a')));
  EXPECT_FALSE(is_file_name(std::string(256, 'a')));
}

}  // namespace
}  // namespace virnucpro
