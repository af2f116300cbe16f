#include "documents/documents.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "documents/value_words.hpp"

namespace virnucpro {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ValueWords, TakesWordsAndNames) {
  EXPECT_THAT(value_words("auto|fp32|bf16").words, ElementsAre("auto", "fp32", "bf16"));
  EXPECT_THAT(value_words("N|auto").words, ElementsAre("auto"));
  EXPECT_THAT(value_words("").words, IsEmpty());
  EXPECT_TRUE(value_words("FILE").files);
  EXPECT_TRUE(value_words("DIR").directories);
  EXPECT_FALSE(value_words("N").files);
}

TEST(ValueWords, TellsLists) {
  EXPECT_TRUE(value_words("a|b[,...]").is_list);
  EXPECT_THAT(value_words("a|b[,...]").words, ElementsAre("a", "b"));
  EXPECT_FALSE(value_words("a|b").is_list);
}

TEST(ValueWords, KnowsModels) {
  EXPECT_THAT(value_words("ESM").words, Contains("esm2_t36_3B_UR50D"));
  EXPECT_THAT(value_words("ESM").words, Contains("synthetic:esm2_t6_8M"));
  EXPECT_THAT(value_words("ESM").words, Contains("synthetic:esm2_t36_3B-hard"));
  EXPECT_THAT(value_words("DNABERT").words, Contains("synthetic:dnabert-s"));
}

TEST(ValueWords, RefusesANameThatIsNotDescribed) {
  EXPECT_THROW(value_words("SPOON"), Error);
}

TEST(MeaningOf, AddsWhatACodeMeansInSingleCommands) {
  Command program("program", "");
  program.add_command("diff", "").exit_codes = {{0, "equal"}, {1, "not equal"}};
  program.add_command("tools", "").add_command("check", "").exit_codes = {{1, "bad"}};
  EXPECT_EQ(meaning_of({1, "failure"}, program), "failure; diff: not equal; check: bad");
  EXPECT_EQ(meaning_of({2, "partial"}, program), "partial");
}

TEST(Roff, EscapesWhatRoffWouldRead) {
  EXPECT_EQ(roff("--name a\\b"), "\\-\\-name a\\eb");
  EXPECT_EQ(roff(".so x\n'y.z"), "\\&.so x\n\\&'y.z");
}

}  // namespace
}  // namespace virnucpro
