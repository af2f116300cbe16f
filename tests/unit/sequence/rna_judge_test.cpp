#include "sequence/rna_judge.hpp"

#include <gtest/gtest.h>

#include <string>

namespace virnucpro {
namespace {

RnaJudge judge_of(int rna, int dna, std::string_view letters = "ACGU") {
  RnaJudge judge;
  for (int i = 0; i < rna; ++i) judge.add(letters);
  for (int i = 0; i < dna; ++i) judge.add("ACGT");
  return judge;
}

TEST(RnaJudge, NineOfTenHaveUAndNoT) {
  EXPECT_TRUE(judge_of(9, 1).verdict());
  EXPECT_FALSE(judge_of(89, 11).verdict());
  EXPECT_TRUE(judge_of(1, 0, "acgu").verdict());
  EXPECT_FALSE(judge_of(5, 0, "ACGUT").verdict());
  EXPECT_FALSE(judge_of(0, 0).verdict());
  EXPECT_EQ(judge_of(9, 1).verdict()->kind(), ErrorKind::kInputRna);
}

TEST(RnaJudge, SequencesWithNeitherDoNotCount) {
  RnaJudge judge = judge_of(1, 0);
  for (int i = 0; i < 5000; ++i) judge.add("NNNNGGGACA");
  EXPECT_FALSE(judge.is_settled());
  EXPECT_TRUE(judge.verdict());
}

TEST(RnaJudge, TheFirstThousandOr16MebibytesDecide) {
  EXPECT_FALSE(judge_of(0, 999).is_settled());
  RnaJudge judge = judge_of(0, 1000);
  EXPECT_TRUE(judge.is_settled());
  for (int i = 0; i < 100'000; ++i) judge.add("ACGU");
  EXPECT_FALSE(judge.verdict());
  RnaJudge large;
  large.add(std::string((16U << 20U) - 1, 'U'));
  EXPECT_FALSE(large.is_settled());
  large.add("U");
  EXPECT_TRUE(large.is_settled());
}

}  // namespace
}  // namespace virnucpro
