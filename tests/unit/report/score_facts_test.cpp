#include "report/score_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "unit/report/sample_run.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

ScoreFacts score_facts(std::vector<SequencePart> parts, const CallRule& rule = {}) {
  const TempDir directory;
  return read_scores(sample_run(directory.path(), std::move(parts)),
                     {.rule = rule, .chunk_size = 500}, Cancel());
}

// Takes the scores of the chunks that are named away.
SequencePart without(SequencePart part, std::initializer_list<std::uint64_t> chunks) {
  std::erase_if(part.frames, [&chunks](const FrameScore& frame) {
    return std::ranges::find(chunks, frame.chunk) != chunks.end();
  });
  return part;
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

std::vector<std::string> ids_of(const ScoreFacts& facts) {
  std::vector<std::string> ids;
  for (const SequenceHit& hit : facts.top_hits) ids.push_back(hit.id);
  return ids;
}

// Not by the share of virus chunks, which is 1 of a single chunk, and not by a single high score.
TEST(ScoreFacts, PutThoseWithMoreEvidenceFirst) {
  const ScoreFacts facts = score_facts(
      {sample_part("no_hit", 500, {0.1F}), sample_part("short", 90, {0.99F}),
       sample_part("long", 1500, {0.9F, 0.8F, 0.1F}), sample_part("shorter", 80, {0.99F}),
       // Called others, whatever its evidence.
       sample_part("others", 5000, {0.9F, 0.9F, 0.9F, 0.9F, 0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(ids_of(facts), (std::vector<std::string>{"long", "short", "shorter", "others"}));
  EXPECT_EQ(facts.hits, 4U);
  EXPECT_NEAR(facts.top_hits[0].evidence, 500 * 0.8 + 500 * 0.6, 1e-3);
  EXPECT_EQ(facts.top_hits[0].number, 3U);
  EXPECT_EQ(facts.top_hits[0].call, Call::kVirus);
  EXPECT_EQ(facts.top_hits[3].call, Call::kOthers);
  EXPECT_NEAR(facts.top_hits[3].evidence, 1600, 1e-3);
}

// A long contig of which half is just virus, and a short one that is so throughout.
TEST(ScoreFacts, PutACertainPhageBeforeADoubtfulBacterium) {
  std::vector<float> half(240, 0.55F);
  std::fill(half.begin() + 125, half.end(), 0.1F);
  const ScoreFacts facts =
      score_facts({sample_part("bacterium", 120'000, half),
                   sample_part("phage", 30'000, std::vector<float>(60, 0.98F))});
  EXPECT_EQ(ids_of(facts), (std::vector<std::string>{"phage", "bacterium"}));
}

TEST(ScoreFacts, CountABaseOnceWhereChunksOverlap) {
  // Its chunks are 0 to 500, 366 to 866 and 732 to 1,100.
  const ScoreFacts facts = score_facts({sample_part("a", 1100, {0.6F, 0.8F, 0.9F})});
  EXPECT_EQ(facts.bases_scored, 1100U);
  EXPECT_NEAR(facts.top_hits[0].evidence, 500 * 0.2 + 366 * 0.6 + 234 * 0.8, 1e-3);
  EXPECT_EQ(facts.unscored_stretches, 0U);
}

TEST(ScoreFacts, SayWhatHasNoScore) {
  const ScoreFacts facts =
      score_facts({without(sample_part("a", 3000, std::vector<float>(6, 0.9F)), {0, 2, 3}),
                   without(sample_part("b", 1000, {0.9F, 0.9F}), {1}),
                   without(sample_part("none", 2000, std::vector<float>(4, 0.9F)), {0, 1, 2, 3})});
  EXPECT_EQ(facts.bases_scored, 2000U);
  EXPECT_EQ(facts.unscored_stretches, 3U);  // of those that have a score
  EXPECT_EQ(facts.unscored_bases, 2000U);
  EXPECT_EQ(facts.longest_unscored, 1000U);
  EXPECT_EQ(facts.top_hits[0].bases_scored, 1500U);
}

TEST(ScoreFacts, MapTheHitsOfSeveralChunks) {
  const ScoreFacts facts =
      score_facts({without(sample_part("a", 1600, {0.9F, 0.9F, 0.5F, 0.7F}), {2}),
                   sample_part("read", 100, {0.9F})});
  // Its chunks begin at 0, 399, 798 and 1,197; a bin has 10 bases.
  const std::vector<MapStretch> map{{0, 900, 0.9}, {900, 1200, {}}, {1200, 1600, 0.7}};
  EXPECT_EQ(facts.top_hits[0].map, map);
  EXPECT_TRUE(facts.top_hits[1].map.empty());
}

TEST(ScoreFacts, CountTheTiersOfViralNgs) {
  EXPECT_TRUE(score_facts({sample_part("a", 90, {0.9F})}).tiers.empty());
  CallRule rule;
  rule.use_viral_ngs();
  const ScoreFacts facts = score_facts(
      {sample_part("n", 500, {0.1F}), sample_part("a", 3000, std::vector<float>(6, 0.95F)),
       sample_part("b", 2500, std::vector<float>(5, 0.95F)), sample_part("none", 9, {})},
      rule);
  ASSERT_EQ(facts.tiers.size(), 3U);
  EXPECT_EQ(facts.tiers[0].call, "Viral");
  EXPECT_EQ(facts.tiers[0].tier, "high_confidence");
  EXPECT_EQ(facts.tiers[0].sequences, 2U);
  EXPECT_EQ(facts.tiers[0].bases, 5500U);
  EXPECT_EQ(facts.tiers[1].call, "Non-viral");
  EXPECT_EQ(facts.tiers[2].call, "Unclassified");
  EXPECT_EQ(facts.top_hits[0].tier, "high_confidence");
}

// A damaged journal may have chunks behind the end, and lengths of any size.
TEST(ScoreFacts, TakeChunksThatLieNowhere) {
  const std::uint64_t most = ~std::uint64_t{0};
  SequencePart far = sample_part("far", most, {0.9F, 0.9F});
  far.chunks = most;
  far.frames.back().chunk = most - 1;
  const ScoreFacts facts = score_facts({sample_part("a", 9, {0.9F, 0.9F, 0.9F}), far});
  EXPECT_EQ(facts.top_hits.size(), 2U);
  EXPECT_EQ(facts.top_hits[0].id, "far");
  EXPECT_EQ(facts.top_hits[1].bases_scored, 9U);
}

TEST(ScoreFacts, KeepTheBestOfMany) {
  std::vector<SequencePart> parts;
  for (std::size_t k = 0; k < 3 * ScoreFacts::kTopHits; ++k) {
    const auto score = 0.5F + static_cast<float>((k * 7919) % 600) / 2000.0F;
    parts.push_back(sample_part(fmt::format("s{}", k), 9, {score}));
  }
  const ScoreFacts facts = score_facts(std::move(parts));
  ASSERT_EQ(facts.top_hits.size(), ScoreFacts::kTopHits);
  EXPECT_EQ(facts.hits, 3 * ScoreFacts::kTopHits);
  EXPECT_FLOAT_EQ(facts.top_hits.front().max_virus_score, 0.7995F);
  EXPECT_FLOAT_EQ(facts.top_hits.back().max_virus_score, 0.7F);
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
