#include "observe/line_file.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "unit/file_size_limit.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

const std::string kHeader = "timestamp,device_id\n";

struct LineFileTest : testing::Test {
  const TempDir folder;
  std::filesystem::path path = folder.path() / "log";
};

TEST_F(LineFileTest, HasOneHeaderAndWhatWasAppendedAtOnce) {
  LineFile file(path, kHeader);
  EXPECT_EQ(file.append("a\n"), 0);
  EXPECT_EQ(read_text(path), kHeader + "a\n");
  EXPECT_EQ(file.append("b\nc\n"), 0);
  EXPECT_EQ(LineFile(path, kHeader).append("d\n"), 0);
  EXPECT_EQ(read_text(path), kHeader + "a\nb\nc\nd\n");
}

TEST_F(LineFileTest, EndsALineThatWasCut) {
  std::ofstream(path, std::ios::binary) << "edited by ha";
  EXPECT_EQ(LineFile(path, kHeader).append("a\n"), 0);
  EXPECT_EQ(read_text(path), "edited by ha\na\n");
}

TEST_F(LineFileTest, IsTriedAgainWhereItCannotBeOpened) {
  LineFile file(folder.path() / "later" / "log", kHeader);
  EXPECT_EQ(file.append("a\n"), ENOENT);
  std::filesystem::create_directory(folder.path() / "later");
  EXPECT_EQ(file.append("b\n"), 0);
  EXPECT_EQ(read_text(folder.path() / "later" / "log"), kHeader + "b\n");
}

TEST_F(LineFileTest, KeepsNoPartOfWhatCouldNotBeWritten) {
  LineFile file(path, kHeader);
  {
    const FileSizeLimit within_header(kHeader.size() / 2);
    EXPECT_EQ(file.append("a\n"), EFBIG);
    EXPECT_EQ(read_text(path), "");
  }
  {
    const FileSizeLimit within_rows(kHeader.size() + 5);
    EXPECT_EQ(file.append("b\n"), 0);
    EXPECT_EQ(file.append("too long\n"), EFBIG);
    EXPECT_EQ(read_text(path), kHeader + "b\n");
    EXPECT_EQ(file.append("c\n"), 0);
  }
  EXPECT_EQ(file.append("d\n"), 0);
  EXPECT_EQ(read_text(path), kHeader + "b\nc\nd\n");
}

TEST_F(LineFileTest, MayHaveNoHeader) {
  LineFile file(path);
  EXPECT_EQ(file.append("{}\n"), 0);
  EXPECT_EQ(read_text(path), "{}\n");
}

}  // namespace
}  // namespace virnucpro
