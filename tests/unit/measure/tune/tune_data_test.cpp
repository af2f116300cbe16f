#include "measure/tune/tune_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

class TuneDataTest : public ::testing::Test {
 protected:
  std::string file_of(const std::string& text) const {
    write_text(folder_ / "mine.fa", text);
    return folder_ / "mine.fa";
  }
  TuneData data_of(const std::string& text) const {
    return {{.file = file_of(text), .folder = folder_.path()}, cancel_};
  }

  const TempDir folder_;
  const Cancel cancel_{};
};

TEST_F(TuneDataTest, MakesUpSequencesThatBeginAlike) {
  const TuneData data({.sequences = 20, .length = 90, .folder = folder_.path()}, cancel_);
  EXPECT_EQ(data.sequences(), 20U);
  const std::string few = read_text(data.first(3));
  const std::string all = read_text(data.first(20));
  EXPECT_EQ(std::count(few.begin(), few.end(), '>'), 3);
  EXPECT_EQ(std::count(all.begin(), all.end(), '>'), 20);
  EXPECT_TRUE(all.starts_with(few));
}

TEST_F(TuneDataTest, TakesTheFirstOfAFile) {
  const TuneData data = data_of(">a x\nACGT\nAC\n>b\nGG\n>c\nTT\n");
  EXPECT_EQ(data.sequences(), 3U);
  EXPECT_EQ(read_text(data.first(2)), ">a\nACGTAC\n>b\nGG\n");
  EXPECT_EQ(data.first(3), folder_.path() / "mine.fa");
}

TEST_F(TuneDataTest, RefusesAFileThatIsDamagedOrEmpty) {
  for (const std::string& text :
       {std::string(), std::string("ACGT\n"), ">a\n" + std::string(1, '\0')}) {
    EXPECT_THROW(data_of(text), Error) << text;
  }
}

}  // namespace
}  // namespace virnucpro
