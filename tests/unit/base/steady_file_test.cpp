#include "base/steady_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

class WatchedFile : public testing::Test {
 protected:
  WatchedFile() {
    write_text(path_, "0123456789");
    fd_ = open_to_read(path_);
    watch_.emplace(fd_.get(), path_.string());
  }

  // Sets the time of modification to one that a clock cannot give again by chance.
  static void set_old(const fs::path& path) {
    const std::array<timespec, 2> times{
        {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = 1'000'000'000, .tv_nsec = 1}}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  }

  const TempDir folder_;
  const fs::path path_ = folder_ / "file";
  UniqueFd fd_;
  std::optional<FileWatch> watch_;
};

TEST_F(WatchedFile, IsUnchangedByReadingAndOtherTimes) {
  EXPECT_EQ(read_text(path_), "0123456789");
  const std::array<timespec, 2> times{
      {{.tv_sec = 1'000'000'000, .tv_nsec = 1}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times.data(), 0), 0);
  fs::permissions(path_, fs::perms::owner_read);
  fs::create_hard_link(path_, folder_ / "link");
  EXPECT_EQ(watch_->change(), std::nullopt);
  EXPECT_EQ(watch_->size(), 10U);
}

TEST_F(WatchedFile, TellsThatItGrewOrShrank) {
  std::ofstream(path_, std::ios::app) << "more";
  EXPECT_EQ(watch_->change(), "it had 10 bytes when it was opened, and has 14 now");
  fs::resize_file(path_, 4);
  EXPECT_EQ(watch_->change(), "it had 10 bytes when it was opened, and has 4 now");
  EXPECT_EQ(watch_->size(), 10U);
}

TEST_F(WatchedFile, TellsThatItWasWrittenTo) {
  set_old(path_);
  EXPECT_EQ(watch_->change(), "it was written to after it was opened");
}

TEST_F(WatchedFile, TellsThatAnotherFileHasItsName) {
  fs::copy(path_, folder_ / "other");
  fs::last_write_time(folder_ / "other", fs::last_write_time(path_));
  fs::rename(folder_ / "other", path_);
  EXPECT_EQ(watch_->change(), "another file has taken its name");
}

TEST_F(WatchedFile, MayGoAway) {
  fs::rename(path_, folder_ / "moved");
  EXPECT_EQ(watch_->change(), std::nullopt);
  fs::remove(folder_ / "moved");
  EXPECT_EQ(watch_->change(), std::nullopt);
}

TEST_F(WatchedFile, NeedsNoName) {
  const FileWatch nameless(fd_.get(), "");
  fs::remove(path_);
  write_text(path_, "another");
  EXPECT_EQ(nameless.change(), std::nullopt);
}

TEST(FileWatch, LeavesPipesAlone) {
  const TempDir folder;
  const fs::path path = folder / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const UniqueFd fd = open_to_read(path, O_NONBLOCK);
  const FileWatch watch(fd.get(), path.string());
  fs::remove(path);
  write_text(path, "a file");
  EXPECT_EQ(watch.change(), std::nullopt);
  EXPECT_EQ(watch.size(), std::nullopt);
}

namespace fs = std::filesystem;

class SteadyFiles : public testing::Test {
 protected:
  static std::string read(const SteadyFile& file, std::uint64_t offset, std::size_t size) {
    std::string text(size, '\0');
    file.read(offset, std::as_writable_bytes(std::span(text)));
    return text;
  }

  const TempDir folder_;
  const fs::path path_ = folder_ / "file";
};

TEST_F(SteadyFiles, AnyPartCanBeRead) {
  write_text(path_, std::string(1'000'000, 'q') + "end");
  const SteadyFile file(path_);
  EXPECT_EQ(file.size(), 1'000'003U);
  EXPECT_EQ(read(file, 999'999, 4), "qend");
  EXPECT_EQ(read(file, 1'000'003, 0), "");
  std::string all;
  file.visit({1, 1'000'002}, [&](auto block) { all += as_text(block); });
  EXPECT_EQ(all, std::string(999'999, 'q') + "end");
  EXPECT_NO_THROW(file.check_unchanged());
  EXPECT_EQ(thrown_kind([&] { read(file, 1'000'003, 1); }), ErrorKind::kInternal);
}

TEST_F(SteadyFiles, WhatIsNoFileIsRefusedAtOnce) {
  EXPECT_EQ(thrown_kind([&] { const SteadyFile file(path_); }), ErrorKind::kInputMissing);
  EXPECT_EQ(thrown_kind([&] { const SteadyFile file(folder_.path(), kWeightsErrors); }),
            ErrorKind::kWeightsMissing);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);  // without a writer
  EXPECT_EQ(thrown_kind([&] { const SteadyFile file(path_); }), ErrorKind::kInputMissing);
}

TEST_F(SteadyFiles, AFileThatWasCutIsAnErrorWhereItEnds) {
  write_text(path_, std::string(100'000, 'q'));
  const SteadyFile file(path_, kWeightsErrors);
  fs::resize_file(path_, 70'000);
  EXPECT_EQ(read(file, 0, 70'000).size(), 70'000U);
  try {
    read(file, 60'000, 20'000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kWeightsChanged);
    EXPECT_EQ(error.place().file, path_.string());
    EXPECT_EQ(error.place().offset, 70'000U);
    EXPECT_THAT(error.what(), testing::HasSubstr("it had 100000 bytes"));
  }
  EXPECT_EQ(thrown_kind([&] { file.check_unchanged(); }), ErrorKind::kWeightsChanged);
}

TEST_F(SteadyFiles, AnyOtherChangeIsNoticedToo) {
  write_text(path_, "before");
  fs::last_write_time(path_, fs::last_write_time(path_) - std::chrono::hours(1));
  const SteadyFile file(path_);
  write_text(folder_ / "other", "after");
  EXPECT_NO_THROW(file.check_unchanged());
  write_text(path_, "BEFORE");
  EXPECT_EQ(thrown_kind([&] { file.check_unchanged(); }), ErrorKind::kInputChanged);
  const SteadyFile again(path_);
  write_text(path_, "longer than before");
  EXPECT_EQ(thrown_kind([&] { again.check_unchanged(); }), ErrorKind::kInputChanged);
}

// The file that was opened is still there, under no name.
TEST_F(SteadyFiles, AReplacedFileIsReadToItsEnd) {
  write_text(path_, "before");
  const SteadyFile file(path_);
  write_text(folder_ / "new", "after");
  fs::rename(folder_ / "new", path_);
  EXPECT_EQ(read(file, 0, 6), "before");
  EXPECT_NO_THROW(file.check_unchanged());
}

}  // namespace
}  // namespace virnucpro
