#include "base/file.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text_lines.hpp"
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

}  // namespace
}  // namespace virnucpro
