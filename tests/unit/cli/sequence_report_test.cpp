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
  statistics.add(record("ACGT"), SeenId::kNowhere);
  statistics.add(record("AC-J"), SeenId::kInThisInput);
  statistics.add(record(""), SeenId::kInEarlierInput);
  statistics.add(record("ACGTA"), SeenId::kNowhere);
  EXPECT_EQ(statistics.shortest, 0U);
  EXPECT_EQ(statistics.longest, 5U);
  EXPECT_EQ(statistics.empty, 1U);
  EXPECT_EQ(statistics.outside_iupac, 2U);
  EXPECT_EQ(statistics.duplicate_ids, 1U);
  EXPECT_EQ(statistics.foreign_ids, 1U);
  EXPECT_THAT(statistics.lines(), Contains(MatchesRegex("  mean length +3.2")));
}

TEST(SequenceStatistics, HasNoMeanOfNothing) {
  EXPECT_THAT(SequenceStatistics{}.lines(), testing::Not(Contains(testing::HasSubstr("mean"))));
}

TEST(SeenIds, KnowsWhatItSaw) {
  SeenIds ids;
  EXPECT_EQ(ids.add("a", 0), SeenId::kNowhere);
  EXPECT_EQ(ids.add("b", 0), SeenId::kNowhere);
  EXPECT_EQ(ids.add("", 0), SeenId::kNowhere);
  EXPECT_EQ(ids.add("a", 0), SeenId::kInThisInput);
  EXPECT_EQ(ids.add("a", 1), SeenId::kInEarlierInput);
  EXPECT_EQ(ids.add("a", 1), SeenId::kInThisInput);
  EXPECT_FALSE(ids.overflowed());
}

}  // namespace
}  // namespace virnucpro
