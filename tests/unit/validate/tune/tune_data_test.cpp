#include "validate/tune/tune_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/directory.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

class TuneDataTest : public ::testing::Test {
 protected:
  std::string file_of(const std::string& text) const {
    const std::filesystem::path path = folder_.path() / "mine.fa";
    std::ofstream(path) << text;
    return path;
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TuneData data_of(const std::string& text) const {
    return {{.file = file_of(text), .folder = folder_.path()}, cancel_};
  }

  const TemporaryFolder folder_;
  const Cancel cancel_{};
};

TEST_F(TuneDataTest, MakesUpSequencesThatBeginAlike) {
  const TuneData data({.sequences = 20, .length = 90, .folder = folder_.path()}, cancel_);
  EXPECT_EQ(data.sequences(), 20U);
  const std::string few = text_of(data.first(3));
  const std::string all = text_of(data.first(20));
  EXPECT_EQ(std::count(few.begin(), few.end(), '>'), 3);
  EXPECT_EQ(std::count(all.begin(), all.end(), '>'), 20);
  EXPECT_TRUE(all.starts_with(few));
}

TEST_F(TuneDataTest, TakesTheFirstOfAFile) {
  const TuneData data = data_of(">a x\nACGT\nAC\n>b\nGG\n>c\nTT\n");
  EXPECT_EQ(data.sequences(), 3U);
  EXPECT_EQ(text_of(data.first(2)), ">a\nACGTAC\n>b\nGG\n");
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
