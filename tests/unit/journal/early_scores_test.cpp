#include "journal/early_scores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

FrameTokens tokens(std::uint8_t protein, std::uint16_t nucleotides) {
  return {.esm = {0, protein, 2}, .dna = {1, nucleotides, 2}};
}

// The rows that a session leaves, as a resumed one reads them.
struct EarlyScoresOfARun : testing::Test {
  const TempDir directory;
  Journal journal = Journal::create(directory / "run.db", {});
  TimeCounter time;
  JournalWriter writer{journal, time};
  EarlyScores scores{{}, 1, 0, writer};

  std::multiset<float> kept() {
    writer.flush();
    std::multiset<float> virus;
    for (const EarlyScore& score : journal.early_scores()) virus.insert(score.scores.virus);
    return virus;
  }
  EarlyScore score_of(const FrameTokens& frame) {
    writer.flush();
    for (const EarlyScore& score : journal.early_scores()) {
      if (score.frame.low == frame_hash(frame).low) return score;
    }
    return {};
  }
};

TEST(FrameHash, IsOfBothModelsTokens) {
  const auto differ = [](const FrameTokens& a, const FrameTokens& b) {
    return frame_hash(a).low != frame_hash(b).low || frame_hash(a).high != frame_hash(b).high;
  };
  EXPECT_FALSE(differ(tokens(5, 7), tokens(5, 7)));
  EXPECT_TRUE(differ(tokens(5, 7), tokens(5, 8))) << "the same protein, other codons";
  EXPECT_TRUE(differ(tokens(5, 7), tokens(6, 7))) << "other letters with the same tokens";
}

// Frames between had their scores already: they are not asked for.
TEST_F(EarlyScoresOfARun, AreOfTheRightFramesAfterAGap) {
  scores.find(3, tokens(5, 7));
  scores.find(6, tokens(6, 7));
  scores.find(7, tokens(7, 7));
  scores.keep(7, {0.25F, 0.75F});
  scores.keep(6, {0, 0.5F});
  scores.write_all(0);
  EXPECT_EQ(score_of(tokens(6, 7)).scores.virus, 0.5F);
  EXPECT_EQ(score_of(tokens(7, 7)).scores.virus, 0.75F);
  EXPECT_EQ(score_of(tokens(7, 7)).scores.others, 0.25F);
  EXPECT_EQ(kept().size(), 2U);
}

TEST_F(EarlyScoresOfARun, AreLeftOutWhereTheFrameWasNeverHashed) {
  scores.find(3, tokens(5, 7));
  scores.keep(4, {0, 0.5F});
  scores.write_all(0);
  EXPECT_TRUE(kept().empty());
}

TEST_F(EarlyScoresOfARun, GoWithTheUnitsThatHaveThem) {
  for (std::uint64_t k = 0; k < 4; ++k) {
    scores.find(k, tokens(static_cast<std::uint8_t>(5 + k), 7));
    scores.keep(k, {0, static_cast<float>(k)});
    if (k % 2 == 1) scores.write_all(0);
  }
  EXPECT_EQ(kept(), (std::multiset<float>{0, 1, 2, 3}));
  scores.write_all(1);
  EXPECT_EQ(kept(), (std::multiset<float>{0, 1, 2, 3})) << "the row of 0 has 1, too";
  scores.write_all(2);
  EXPECT_EQ(kept(), (std::multiset<float>{2, 3}));
  scores.find(4, tokens(20, 7));
  scores.keep(4, {0, 4});
  scores.keep(3, {0, 9});
  scores.write_all(4);
  EXPECT_EQ(kept(), (std::multiset<float>{4})) << "3 is in a unit by now";
  EXPECT_EQ(journal.next_early_row(), 4U);
}

TEST_F(EarlyScoresOfARun, AreFoundByALaterSession) {
  EarlyScores later({{frame_hash(tokens(5, 7)), {0.25F, 0.75F}}}, 1, 0, writer);
  const auto found = later.find(9, tokens(5, 7));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->virus, 0.75F);
  EXPECT_FALSE(later.find(10, tokens(5, 8)));
}

TEST_F(EarlyScoresOfARun, WaitForTheInterval) {
  EarlyScores slow({}, 1, 1000, writer);
  slow.find(0, tokens(5, 7));
  slow.keep(0, {0, 0.5F});
  slow.write_due(0);
  EXPECT_TRUE(kept().empty());
  slow.write_all(0);
  EXPECT_EQ(kept().size(), 1U);
}

TEST(EarlyScoreRows, AreReadBackOrNotAtAll) {
  const std::vector<EarlyScore> scores{{{1, 2}, {0.25F, 0.75F}}, {{3, 4}, {0.5F, 0.125F}}};
  const std::string row = encode_early_scores(scores);
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  const auto decoded = decode_early_scores(bytes(row));
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->size(), 2U);
  EXPECT_EQ((*decoded)[1].frame.low, 3U);
  EXPECT_EQ((*decoded)[1].frame.high, 4U);
  EXPECT_EQ((*decoded)[1].scores.others, 0.5F);
  EXPECT_EQ((*decoded)[1].scores.virus, 0.125F);
  EXPECT_TRUE(decode_early_scores(bytes(encode_early_scores({})))->empty());
  for (std::size_t size = 0; size < row.size(); ++size) {
    EXPECT_FALSE(decode_early_scores(bytes(row.substr(0, size)))) << size;
  }
  for (std::size_t at = 0; at < row.size(); ++at) {
    std::string changed = row;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(decode_early_scores(bytes(changed))) << at;
  }
}

}  // namespace
}  // namespace virnucpro
