#include "cli/sequence_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace virnucpro {
namespace {

using testing::Contains;
using testing::MatchesRegex;

InputRecord record(const std::string& letters) {
  InputRecord result;
  result.record.letters = letters;
  return result;
}

TEST(SequenceStatistics, DescribesLengthsAndLetters) {
  SequenceStatistics statistics;
  statistics.add(record("ACGT"), false);
  statistics.add(record("AC-J"), true);
  statistics.add(record(""), false);
  statistics.add(record("ACGTA"), false);
  EXPECT_EQ(statistics.shortest, 0U);
  EXPECT_EQ(statistics.longest, 5U);
  EXPECT_EQ(statistics.empty, 1U);
  EXPECT_EQ(statistics.outside_iupac, 2U);
  EXPECT_EQ(statistics.duplicate_ids, 1U);
  EXPECT_THAT(statistics.lines(), Contains(MatchesRegex("  mean length +3.2")));
}

TEST(SequenceStatistics, HasNoMeanOfNothing) {
  EXPECT_THAT(SequenceStatistics{}.lines(), testing::Not(Contains(testing::HasSubstr("mean"))));
}

TEST(SeenIds, KnowsWhatItSaw) {
  SeenIds ids;
  EXPECT_FALSE(ids.add("a"));
  EXPECT_FALSE(ids.add("b"));
  EXPECT_FALSE(ids.add(""));
  EXPECT_TRUE(ids.add("a"));
  EXPECT_FALSE(ids.overflowed());
}

}  // namespace
}  // namespace virnucpro
