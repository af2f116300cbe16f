#include "base/file_watch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

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

}  // namespace
}  // namespace virnucpro
