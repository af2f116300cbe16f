#include "base/directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// A folder with one entry of each kind.
struct Directories : testing::Test {
  Directories() {
    write_text(temp / "file", "text");
    fs::create_directory(temp / "folder");
    fs::create_symlink("file", temp / "link to file");
    fs::create_symlink("folder", temp / "link to folder");
    fs::create_symlink("absent", temp / "dangling");
    EXPECT_EQ(::mkfifo((temp / "fifo").c_str(), 0600), 0);
  }

  const TempDir temp;
  const Directory directory{temp.path()};
};

TEST_F(Directories, TellWhatANameStandsFor) {
  EXPECT_EQ(directory.kind_of("absent"), EntryKind::kNone);
  EXPECT_EQ(directory.kind_of("file"), EntryKind::kFile);
  EXPECT_EQ(directory.kind_of("folder"), EntryKind::kFolder);
  for (const char* name : {"link to file", "link to folder", "dangling", "fifo"}) {
    EXPECT_EQ(directory.kind_of(name), EntryKind::kOther) << name;
  }
  const auto names =
      ElementsAre("dangling", "fifo", "file", "folder", "link to file", "link to folder");
  EXPECT_THAT(directory.names(), names);
  EXPECT_THAT(directory.names(), names) << "it reads from the beginning again";
}

TEST_F(Directories, OpenRegularFilesAlone) {
  EXPECT_GE(directory.open_file("file").get(), 0);
  for (const char* name :
       {"folder", "link to file", "link to folder", "dangling", "fifo", "absent"}) {
    EXPECT_LT(directory.open_file(name).get(), 0) << name;
    if (std::string_view(name) != "absent") {
      EXPECT_LT(FilePlace(directory, name).open_to_append().get(), 0) << name;
    }
  }
  EXPECT_FALSE(fs::exists(temp / "absent"));
}

TEST_F(Directories, MakeFilesUnderFreeNames) {
  EXPECT_GE(directory.create("new").get(), 0);
  for (const char* name : {"new", "file", "folder", "link to file", "dangling", "fifo"}) {
    EXPECT_LT(directory.create(name).get(), 0) << name;
    EXPECT_EQ(errno, EEXIST) << name;
  }
  const std::size_t before = temp.entries();
  const UniqueFd nameless = directory.create_nameless();
  EXPECT_EQ(write_all(nameless.get(), "x"), 0);
  EXPECT_EQ(temp.entries(), before);
}

TEST_F(Directories, FollowNoLinkToAFolder) {
  EXPECT_EQ(directory.folder("folder").path(), temp / "folder");
  EXPECT_EQ(directory.make_folder("made").path(), temp / "made");
  EXPECT_EQ(directory.make_folder("made").path(), temp / "made");
  for (const char* name : {"file", "link to file", "link to folder", "dangling", "fifo"}) {
    EXPECT_EQ(thrown_kind([&] { directory.make_folder(name); }), ErrorKind::kOutputExists) << name;
  }
  EXPECT_EQ(thrown_kind([&] { directory.folder("absent"); }), ErrorKind::kOutputWrite);
}

TEST_F(Directories, RemoveWhatIsThere) {
  directory.remove("file");
  directory.remove("file");
  directory.remove("link to folder");
  directory.remove_folder("folder");
  directory.remove_folder("folder");
  fs::create_directories(temp / "full/inner");
  directory.remove_folder("full");
  EXPECT_THAT(directory.names(), ElementsAre("dangling", "fifo", "full", "link to file"));
  EXPECT_EQ(thrown_kind([&] { directory.remove_leftover("dangling"); }), ErrorKind::kOutputExists);
}

TEST_F(Directories, StayTheSameUnderAnotherName) {
  const Directory folder = directory.folder("folder");
  fs::rename(temp / "folder", temp / "moved");
  fs::create_symlink("/tmp", temp / "folder");
  const FilePlace place(folder, "x");
  const UniqueFd file = place.open_to_append();
  EXPECT_TRUE(fs::exists(temp / "moved/x"));
  write_text(reachable(place), "text");
  EXPECT_EQ(read_text(temp / "moved/x"), "text");
  fs::remove(temp / "moved/x");
  write_text(reachable(file.get(), "nowhere"), "more");
  std::string text(4, '\0');
  EXPECT_EQ(::pread(file.get(), text.data(), text.size(), 0), 4);
  EXPECT_EQ(text, "more");
}

TEST_F(Directories, MustBeFolders) {
  for (const char* name : {"file", "absent", "dangling"}) {
    EXPECT_EQ(thrown_kind([&] { Directory{temp / name}; }), ErrorKind::kOutputWrite) << name;
  }
  EXPECT_NO_THROW(Directory{temp / "link to folder"}) << "a path of the user's";
  EXPECT_NO_THROW(Directory{""});
}

namespace fs = std::filesystem;

TEST(TemporaryFolders, AreRemovedByASignalHandlerToo) {
  const TempDir temp;
  write_text(temp / "file", "text");
  fs::create_directory(temp / "tmp");
  const ScopedVariable place("TMPDIR", (temp / "tmp").string());
  const TemporaryFolder one;
  const TemporaryFolder other;
  { const TemporaryFolder gone; }
  fs::create_directories(one.path() / "run" / "logs");
  for (std::size_t k = 1; k <= 100; ++k) {
    write_text(one.path() / "run" / std::string(k, 'x'), "text");
  }
  fs::create_directory_symlink(temp.path(), other.path() / "link");
  remove_temporary_folders();
  EXPECT_TRUE(fs::is_empty(temp / "tmp"));
  EXPECT_TRUE(fs::exists(temp / "file"));
}

}  // namespace
}  // namespace virnucpro
