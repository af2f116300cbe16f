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
  statistics.add(record("ACGT"), SeenId::kNowhere, 5);
  statistics.add(record("AC-J"), SeenId::kInThisInput, 5);
  statistics.add(record(""), SeenId::kInEarlierInput, 5);
  statistics.add(record("ACGTA"), SeenId::kNowhere, 5);
  EXPECT_EQ(statistics.shortest, 0U);
  EXPECT_EQ(statistics.longest, 5U);
  EXPECT_EQ(statistics.empty, 1U);
  EXPECT_EQ(statistics.outside_iupac, 2U);
  EXPECT_EQ(statistics.duplicate_ids, 1U);
  EXPECT_EQ(statistics.foreign_ids, 1U);
  EXPECT_THAT(statistics.lines(), Contains(MatchesRegex("  mean length +3.2")));
}

TEST(SequenceStatistics, CountsAmbiguousBases) {
  SequenceStatistics statistics;
  for (const char* letters : {"", "ACGT", "ACGN", "nnRA"}) {
    statistics.add(record(letters), SeenId::kNowhere, 25);
  }
  EXPECT_EQ(statistics.ambiguous, 4U);
  EXPECT_EQ(statistics.with_ambiguous, 2U);
  EXPECT_EQ(statistics.too_ambiguous, 1U);  // over 25 %, not from there on
}

TEST(SequenceStatistics, SaysWhatIsNotValid) {
  SequenceStatistics statistics;
  EXPECT_EQ(statistics.problems(true), "no sequences");
  statistics.add(record("ACGTN"), SeenId::kInEarlierInput, 5);
  EXPECT_EQ(statistics.problems(true), "");
  statistics.add(record("AC-J"), SeenId::kInThisInput, 5);
  statistics.add(record(""), SeenId::kInThisInput, 5);
  EXPECT_EQ(statistics.problems(true),
            "duplicate ids: 2, empty sequences: 1, sequences with letters outside IUPAC: 1");
  EXPECT_EQ(statistics.problems(false),
            "empty sequences: 1, sequences with letters outside IUPAC: 1");
}

TEST(BadSequence, HasAReason) {
  EXPECT_EQ(bad_sequence(record("ACGTN"), SeenId::kInEarlierInput, true), "");
  EXPECT_EQ(bad_sequence(record("A"), SeenId::kInThisInput, true), "duplicate id");
  EXPECT_EQ(bad_sequence(record("A"), SeenId::kInThisInput, false), "");
  EXPECT_EQ(bad_sequence(record(""), SeenId::kInThisInput, true), "duplicate id, empty sequence");
  EXPECT_EQ(bad_sequence(record("A-CJ-"), SeenId::kNowhere, true), "letters outside IUPAC: -J");
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
