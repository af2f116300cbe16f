#include "report/score_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/report/sample_run.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

ScoreFacts score_facts(std::vector<SequencePart> parts, const CallRule& rule = {}) {
  const TempDir directory;
  return read_scores(sample_run(directory.path(), std::move(parts)), rule, Cancel());
}

TEST(ScoreFacts, CountWhatTheTablesHave) {
  SequencePart failed = sample_part("lost", 90, {0.5F});
  failed.frames.front().failed = true;
  const ScoreFacts facts = score_facts(
      {sample_part("a", 1400, {0.9F, 1.0F, 0.1F}), sample_part("b", 500, {0.2F}), failed});
  EXPECT_EQ(facts.counts.sequences, 3U);
  EXPECT_EQ(facts.counts.virus_sequences, 1U);
  EXPECT_EQ(facts.counts.unscored_sequences, 1U);
  EXPECT_EQ(facts.counts.chunks_scored, 4U);
  EXPECT_EQ(facts.counts.frames, 4U);
  EXPECT_EQ(facts.counts.failed_frames, 1U);
  EXPECT_EQ(facts.bases, 1990U);
  EXPECT_EQ(facts.chunks, 5U);
  EXPECT_EQ(facts.frames_by_score.front() + facts.frames_by_score[2], 1U);  // score 0.1
  EXPECT_EQ(facts.frames_by_score.back(), 1U);                              // score 1.0
  EXPECT_EQ(facts.chunks_by_frames[1], 5U);
}

TEST(ScoreFacts, PutTheBestFirst) {
  const ScoreFacts facts =
      score_facts({sample_part("low", 9, {0.1F}), sample_part("high", 9, {0.8F}),
                   sample_part("higher", 9, {0.9F}), sample_part("none", 9, {})});
  ASSERT_EQ(facts.top_hits.size(), 3U);
  EXPECT_EQ(facts.top_hits[0].id, "higher");
  EXPECT_EQ(facts.top_hits[0].number, 3U);
  EXPECT_TRUE(facts.top_hits[0].virus);
  EXPECT_EQ(facts.top_hits[2].id, "low");
  EXPECT_FALSE(facts.top_hits[2].virus);
}

TEST(ScoreFacts, KeepTheBestOfMany) {
  std::vector<SequencePart> parts;
  for (std::size_t k = 0; k < 3 * ScoreFacts::kTopHits; ++k) {
    const auto score = static_cast<float>((k * 7919) % 600) / 1000.0F;
    parts.push_back(sample_part(fmt::format("s{}", k), 9, {score}));
  }
  const ScoreFacts facts = score_facts(std::move(parts));
  ASSERT_EQ(facts.top_hits.size(), ScoreFacts::kTopHits);
  EXPECT_FLOAT_EQ(facts.top_hits.front().max_virus_score, 0.599F);
  EXPECT_FLOAT_EQ(facts.top_hits.back().max_virus_score, 0.4F);
}

TEST(ScoreFacts, BinTheLengths) {
  const ScoreFacts facts = score_facts({sample_part("a", 20, {}), sample_part("b", 49, {}),
                                        sample_part("c", 200, {}), sample_part("d", 199, {})});
  ASSERT_EQ(facts.lengths.size(), 4U);
  EXPECT_EQ(facts.lengths.front().from, 20U);
  EXPECT_EQ(facts.lengths.front().sequences, 2U);
  EXPECT_EQ(facts.lengths.back().from, 200U);
  EXPECT_EQ(facts.lengths.back().below, 500U);
}

TEST(ScoreFacts, TakeScoresThatAreNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<SequencePart> parts;
  for (int k = 0; k < 300; ++k) {
    parts.push_back(
        sample_part(fmt::format("s{}", k), ~std::uint64_t{0}, {k % 3 == 0 ? nan : 2.0F}));
  }
  const ScoreFacts facts = score_facts(std::move(parts));
  EXPECT_EQ(facts.frames_by_score.back(), 200U);
  EXPECT_EQ(facts.top_hits.size(), 200U);
}

TEST(ScoreFacts, AreEmptyOfAnEmptyRun) {
  const ScoreFacts facts = score_facts({});
  EXPECT_EQ(facts.counts.sequences, 0U);
  EXPECT_TRUE(facts.lengths.empty());
  EXPECT_TRUE(facts.top_hits.empty());
}

}  // namespace
}  // namespace virnucpro
