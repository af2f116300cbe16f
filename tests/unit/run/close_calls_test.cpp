#include "run/close_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tables/contig_rollup.hpp"
#include "unit/made_cut_offs.hpp"

namespace virnucpro {
namespace {

ScorePair frame_at(double logit) {
  return {.others = static_cast<float>(1 / (1 + std::exp(logit))),
          .virus = static_cast<float>(1 / (1 + std::exp(-logit)))};
}

std::vector<ScorePair> chunk_at(const std::vector<double>& logits) {
  std::vector<ScorePair> scores;
  for (const double logit : logits) scores.push_back(frame_at(logit));
  return scores;
}

TEST(CallMargin, IsOfTheLogitsInAChunk) {
  const CallMargin margin(0.5, {});
  EXPECT_TRUE(margin.is_close(chunk_at({0.49})));
  EXPECT_TRUE(margin.is_close(chunk_at({-0.49})));
  EXPECT_FALSE(margin.is_close(chunk_at({0.51})));
  EXPECT_FALSE(margin.is_close(chunk_at({-0.51})));
  EXPECT_TRUE(margin.is_close(chunk_at({3, -1, -3.9}))) << "the mean of 3 and -3.9";
  EXPECT_FALSE(margin.is_close(chunk_at({3, -0.1, -4.1})));
  EXPECT_TRUE(CallMargin(0, {}).is_close(std::vector{ScorePair{0.5F, 0.5F}}));
  EXPECT_FALSE(CallMargin(0, {}).is_close(std::vector{ScorePair{0.4F, 0.6F}}));
}

TEST(CallMargin, HasTheLeastScoreAsASecondBoundary) {
  const double boundary = std::log(0.9 / 0.1);
  const CallMargin margin(0.5, CallRule(0.9, 0.5));
  EXPECT_TRUE(margin.is_close(chunk_at({boundary + 0.49, boundary - 3})));
  EXPECT_TRUE(margin.is_close(chunk_at({boundary - 0.49})));
  EXPECT_FALSE(margin.is_close(chunk_at({boundary + 0.51})));
  EXPECT_FALSE(margin.is_close(chunk_at({boundary - 0.51})));
  EXPECT_TRUE(margin.is_close(chunk_at({0.2}))) << "the first one stays";
}

TEST(CallMargin, HasTheCutOffsAsBoundaries) {
  const CallMargin margin(0.5, rule_with(RuleName::kMajority, {0.9, std::nullopt, 0.99}));
  for (const double cut_off : {0.9, 0.99}) {
    const double boundary = std::log(cut_off / (1 - cut_off));
    EXPECT_TRUE(margin.is_close(chunk_at({boundary + 0.49})));
    EXPECT_TRUE(margin.is_close(chunk_at({boundary - 0.49})));
    EXPECT_FALSE(margin.is_close(chunk_at({boundary - 0.51})));
    EXPECT_NEAR(margin.distance(chunk_at({boundary - 0.4})), 0.4, 1e-4);
  }
  EXPECT_FALSE(margin.is_close(chunk_at({3.4})));
  EXPECT_EQ(margin.reached(chunk_at({-1})), 0U);
  EXPECT_EQ(margin.reached(chunk_at({2})), 1U);
  EXPECT_EQ(margin.reached(chunk_at({3})), 2U);
  EXPECT_EQ(margin.reached(chunk_at({5})), 3U);
  EXPECT_TRUE(margin.is_close(chunk_at({0.4}))) << "the order of the scores stays";
}

TEST(CallMargin, HasTheCutOffsOfContigs) {
  const CallMargin margin(0.2, rule_with(RuleName::kViralNgs, {0.8, std::nullopt, -0.1}));
  const auto is_close = [&](double logit) {
    const std::vector<ScorePair> chunk = chunk_at({logit});
    return margin.is_close_contig(std::vector{margin.difference(chunk, false)});
  };
  for (const double delta : {0.8, -0.1, 0.3, -0.3}) {
    EXPECT_TRUE(is_close(std::log((1 + delta) / (1 - delta)))) << delta;
  }
  for (const double delta : {0.95, 0.6, -0.7}) {
    EXPECT_FALSE(is_close(std::log((1 + delta) / (1 - delta)))) << delta;
  }
}

TEST(CallMargin, HoldsAtTheEnds) {
  const CallMargin margin(CallMargin::kMost, {});
  EXPECT_TRUE(margin.is_close(chunk_at({80})));
  EXPECT_FALSE(margin.is_close(std::vector{ScorePair{0, 1}})) << "infinitely far";
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_TRUE(CallMargin(0, {}).is_close(std::vector{ScorePair{0, 1}, ScorePair{0, bad}}));
    EXPECT_TRUE(CallMargin(0, {}).is_close(std::vector{ScorePair{bad, 1}}));
  }
}

// Their logits cannot be told from their scores.
TEST(CallMargin, HoldsBetweenSaturatedScores) {
  const std::vector<ScorePair> scores{{.others = 0, .virus = 1}, {.others = 1, .virus = 1e-9F}};
  EXPECT_TRUE(CallMargin(0.1, {}).is_close(scores));
}

TEST(CallMargin, ErrorsWithinItChangeNoCallThatIsNotClose) {
  std::mt19937 random(3);
  std::normal_distribution<double> far(0, 2);
  std::uniform_real_distribution<double> error(-1, 1);
  std::size_t kept = 0;
  std::size_t close = 0;
  for (int round = 0; round < 20'000; ++round) {
    const double least = round % 2 == 0 ? 0 : 0.8;
    const CallMargin margin(0.3, CallRule(least, 0.5));
    std::vector<double> logits(1 + random() % 6);
    const double width = round % 3 == 0 ? 9 : 1;
    for (double& logit : logits) logit = width * far(random);
    const std::vector<ScorePair> scores = chunk_at(logits);
    if (margin.is_close(scores)) {
      ++close;
      continue;
    }
    ++kept;
    for (double& logit : logits) logit += 0.2999 * error(random);
    EXPECT_EQ(margin.reached(chunk_at(logits)), margin.reached(scores));
  }
  EXPECT_GT(kept, 10'000U);
  EXPECT_GT(close, 2'000U);
}

CallRule viral_ngs() {
  CallRule rule;
  rule.use_viral_ngs();
  return rule;
}

std::string_view call_of_contig(const std::vector<std::vector<double>>& chunks) {
  ContigRollup rollup(viral_ngs().viral_ngs());
  for (const std::vector<double>& logits : chunks) {
    const std::vector<ScorePair> scores = chunk_at(logits);
    rollup.add({.others = std::ranges::max(scores, {}, &ScorePair::others).others,
                .virus = std::ranges::max(scores, {}, &ScorePair::virus).virus});
  }
  return rollup.result().call;
}

bool is_close_contig(const CallMargin& margin, const std::vector<std::vector<double>>& chunks) {
  std::vector<CallMargin::Difference> differences;
  for (const std::vector<double>& logits : chunks) {
    differences.push_back(margin.difference(chunk_at(logits), false));
  }
  return margin.is_close_contig(differences);
}

TEST(CallMargin, ErrorsWithinItChangeNoContigThatIsNotClose) {
  std::mt19937 random(7);
  std::normal_distribution<double> far(0, 1);
  std::uniform_real_distribution<double> error(-1, 1);
  const CallMargin margin(0.3, viral_ngs());
  std::size_t kept = 0;
  std::size_t close = 0;
  std::size_t changed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::vector<double>> chunks(1 + random() % 8);
    const double shift = 2 * far(random);
    for (std::vector<double>& logits : chunks) {
      logits.resize(1 + random() % 3);
      for (double& logit : logits) logit = shift + 2 * far(random);
    }
    const std::string_view before = call_of_contig(chunks);
    const bool is_close = is_close_contig(margin, chunks);
    // All one way: the worst that errors can do, but for their mixture.
    const double all = error(random);
    for (std::vector<double>& logits : chunks) {
      for (double& logit : logits) logit += 0.2999 * (round % 2 == 0 ? error(random) : all);
    }
    const bool is_same = call_of_contig(chunks) == before;
    ++(is_close ? close : kept);
    changed += is_same ? 0U : 1U;
    EXPECT_TRUE(is_same || is_close);
  }
  EXPECT_GT(kept, 10'000U);
  EXPECT_GT(changed, 100U);
  EXPECT_LT(close, 8'000U);
}

TEST(CallMargin, IsTightForAContig) {
  const CallMargin margin(0.3, viral_ngs());
  const double edge = std::log(1.3 / 0.7);  // virus - others is 0.3
  EXPECT_TRUE(is_close_contig(margin, {{edge + 0.29}}));
  EXPECT_TRUE(is_close_contig(margin, {{edge - 0.29}}));
  EXPECT_FALSE(is_close_contig(margin, {{edge + 0.31}}));
  EXPECT_FALSE(is_close_contig(margin, {{-edge - 0.31}, {-edge - 0.31}}));
  EXPECT_TRUE(is_close_contig(margin, {{-edge - 0.29}, {-edge - 0.29}}));
  EXPECT_FALSE(is_close_contig(margin, {}));
}

// Frames 0 … of chunks of so many frames each.
struct Held : testing::Test {
  explicit Held(double share = 0, const CallRule& rule = {})
      : shadow_share(share), margin(0.5, rule) {}

  void add(const std::vector<std::size_t>& chunks, std::uint64_t first = 0, bool whole = true) {
    SequencePart part;
    part.id = "a";
    std::vector<FrameScore>& frames = part.frames;
    std::vector<FrameTokens> tokens;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      for (std::size_t i = 0; i < chunks[chunk]; ++i) {
        const auto number = static_cast<std::uint8_t>(first + frames.size());
        frames.push_back({.chunk = chunk});
        tokens.push_back({.esm = {0, number, 2}, .dna = {number}});
      }
    }
    close_calls.add(first, part, tokens, whole);
  }

  const double shadow_share;
  const CallMargin margin;
  RunCounters all_counters;
  CloseCallCounters& counters = all_counters.close_calls;
  std::map<std::uint64_t, float> finals;  // virus scores
  std::set<std::uint64_t> missing;
  std::map<std::uint64_t, FrameTokens> again;
  CloseCalls close_calls{
      margin,
      shadow_share,
      all_counters,
      {.on_final =
           [this](std::uint64_t number, const ScorePair& scores) {
             EXPECT_TRUE(finals.emplace(number, scores.virus).second) << number;
           },
       .on_missing = [this](std::uint64_t number) { missing.insert(number); },
       .recompute = [this](FrameTokens tokens,
                           std::uint64_t number) { again.emplace(number, std::move(tokens)); }}};
};

TEST_F(Held, AreTheScoresOfAChunkUntilItHasAll) {
  add({2, 1, 3});
  close_calls.score(1, frame_at(5));
  close_calls.score(2, frame_at(-5));
  EXPECT_EQ(finals, (std::map<std::uint64_t, float>{{2, frame_at(-5).virus}}));
  close_calls.score(0, frame_at(1));
  EXPECT_EQ(finals.size(), 3U);
  add({1}, 6);
  close_calls.score(6, frame_at(2));
  for (const std::uint64_t number : {5U, 3U, 4U}) close_calls.score(number, frame_at(-2));
  EXPECT_EQ(finals.size(), 7U);
  EXPECT_TRUE(again.empty());
  EXPECT_EQ(counters.chunks.get(), 4U);
  EXPECT_EQ(counters.recomputed.get(), 0U);
}

TEST_F(Held, IsACloseChunkUntilAllItsFramesWereComputedAgain) {
  add({2, 2});
  close_calls.score(0, frame_at(3));
  close_calls.score(1, frame_at(-3.2));  // called others by little: a tie of two frames
  EXPECT_TRUE(finals.empty());
  EXPECT_EQ(again.size(), 2U);
  EXPECT_EQ(again.at(1).esm, (std::vector<std::uint8_t>{0, 1, 2}));
  close_calls.score(1, frame_at(-3));
  EXPECT_TRUE(finals.empty());
  close_calls.score(0, frame_at(3.1));
  EXPECT_EQ(finals,
            (std::map<std::uint64_t, float>{{0, frame_at(3.1).virus}, {1, frame_at(-3).virus}}));
  EXPECT_EQ(counters.recomputed.get(), 1U);
  EXPECT_EQ(counters.frames.get(), 2U);
  EXPECT_EQ(counters.esm_tokens.get(), 6U);
  EXPECT_EQ(counters.changed.get(), 1U);
}

TEST_F(Held, IsAChunkWithAScoreThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  add({2});
  close_calls.score(0, {nan, nan});
  close_calls.score(1, frame_at(9));
  EXPECT_EQ(again.size(), 2U);
  close_calls.score(0, frame_at(8));
  close_calls.score(1, frame_at(9));
  EXPECT_EQ(finals.size(), 2U);
  EXPECT_EQ(counters.changed.get(), 0U);
}

TEST_F(Held, AFrameThatFailedCountsAsAbsent) {
  add({2, 1});
  close_calls.fail(2);
  EXPECT_EQ(missing, std::set<std::uint64_t>{2});
  close_calls.score(0, frame_at(0.1));
  close_calls.fail(1);
  EXPECT_EQ(again.size(), 1U) << "the other frame of a close chunk";
  close_calls.score(0, frame_at(0.2));
  EXPECT_EQ(finals.size(), 1U);
  EXPECT_EQ(missing, (std::set<std::uint64_t>{1, 2}));
  EXPECT_EQ(counters.chunks.get(), 1U) << "one without a score has no call";
}

TEST_F(Held, AFrameThatFailedOnlyTheSecondTimeKeepsItsScores) {
  add({3});
  close_calls.score(0, frame_at(0.1));
  close_calls.score(1, {std::numeric_limits<float>::infinity(), 0});
  close_calls.score(2, frame_at(-0.1));
  close_calls.fail(0);
  close_calls.fail(1);
  close_calls.score(2, frame_at(-0.3));
  EXPECT_EQ(finals,
            (std::map<std::uint64_t, float>{{0, frame_at(0.1).virus}, {2, frame_at(-0.3).virus}}));
  EXPECT_EQ(missing, std::set<std::uint64_t>{1});
}

struct HeldContig : Held {
  HeldContig() : Held(0, viral_ngs()) {}
};

// Its chunks are not close, and their differences are 0.46 and 0.25: the mean is near 0.3.
TEST_F(HeldContig, IsComputedAgainWhereItsCallIsClose) {
  add({1, 1});
  close_calls.score(0, frame_at(1));
  EXPECT_TRUE(finals.empty());
  close_calls.score(1, frame_at(0.51));
  EXPECT_EQ(again.size(), 2U);
  EXPECT_TRUE(finals.empty());
  close_calls.score(1, frame_at(0.6));
  close_calls.score(0, frame_at(1.1));
  EXPECT_EQ(finals,
            (std::map<std::uint64_t, float>{{0, frame_at(1.1).virus}, {1, frame_at(0.6).virus}}));
  EXPECT_EQ(counters.recomputed.get(), 2U);
  EXPECT_EQ(counters.changed.get(), 0U);
}

TEST_F(HeldContig, KeepsItsScoresWhereItsCallIsFar) {
  add({1, 1, 1});
  close_calls.score(2, frame_at(4));
  close_calls.score(0, frame_at(0.1));  // its own call is close
  EXPECT_EQ(again.size(), 1U);
  close_calls.score(1, frame_at(5));
  EXPECT_TRUE(finals.empty()) << "the first one may move the contig";
  close_calls.score(0, frame_at(0.2));
  EXPECT_EQ(finals.size(), 3U);
  EXPECT_EQ(counters.recomputed.get(), 1U);
}

TEST_F(HeldContig, HasNoPartThatIsNotTheWhole) {
  add({1, 1}, 0, false);
  close_calls.score(0, frame_at(1));
  EXPECT_EQ(finals.size(), 1U);
  close_calls.score(1, frame_at(0.51));
  EXPECT_EQ(finals.size(), 2U);
}

TEST_F(HeldContig, LeavesOutChunksWithoutScores) {
  add({1, 1});
  close_calls.fail(1);
  EXPECT_EQ(missing, std::set<std::uint64_t>{1});
  close_calls.score(0, frame_at(0.62));
  EXPECT_EQ(again.size(), 1U);
  close_calls.score(0, frame_at(0.62));
  EXPECT_EQ(finals.size(), 1U);
}

TEST(CallMargin, HasADistanceThatSaysWhatIsClose) {
  std::mt19937 random(5);
  std::normal_distribution<double> far(0, 2);
  for (int round = 0; round < 5000; ++round) {
    std::vector<double> logits(1 + random() % 4);
    for (double& logit : logits) logit = far(random);
    const std::vector<ScorePair> scores = chunk_at(logits);
    const CallMargin margin(0.4, CallRule(round % 2 == 0 ? 0 : 0.8, 0.5));
    if (std::abs(margin.distance(scores) - 0.4) < 1e-3) continue;
    EXPECT_EQ(margin.distance(scores) < 0.4, margin.is_close(scores));
  }
}

struct Shadowed : Held {
  Shadowed() : Held(1) {}
};

TEST_F(Shadowed, CallsAreComparedAndKeepTheirScores) {
  add({1, 2, 1});
  close_calls.score(0, frame_at(3));    // and stays virus
  close_calls.score(1, frame_at(0.7));  // others in the check precision
  close_calls.score(2, frame_at(0.9));
  close_calls.score(3, frame_at(0.1));  // close
  EXPECT_EQ(again.size(), 4U);
  EXPECT_TRUE(finals.empty());
  close_calls.score(2, frame_at(-4));
  close_calls.score(1, frame_at(0.5));
  close_calls.score(3, frame_at(-0.1));
  close_calls.score(0, frame_at(3.5));
  EXPECT_EQ(finals, (std::map<std::uint64_t, float>{{0, frame_at(3).virus},
                                                    {1, frame_at(0.7).virus},
                                                    {2, frame_at(0.9).virus},
                                                    {3, frame_at(-0.1).virus}}));
  EXPECT_EQ(counters.recomputed.get(), 1U);
  EXPECT_EQ(counters.frames.get(), 1U);
  EXPECT_EQ(counters.changed.get(), 1U);
  const ShadowEstimate estimate = shadow_estimate(all_counters.shadow, 1);
  EXPECT_EQ(estimate.chunks, 2U);
  EXPECT_EQ(estimate.sampled, 2U);
  EXPECT_EQ(estimate.changed, 1);
  EXPECT_EQ(all_counters.shadow.esm_tokens.get(), 9U);
  EXPECT_EQ(all_counters.shadow.logits.count(), 3U);
  EXPECT_NEAR(all_counters.shadow.logits.largest(), 4.9, 1e-3);
  EXPECT_NEAR(all_counters.shadow.logits.mean(), (0.2 + 4.9 - 0.5) / 3, 1e-3);
}

TEST_F(Shadowed, EmbeddingsAreComparedWhereBothAreKnown) {
  const std::vector<float> one{1, 0};
  const std::vector<float> other{0, 1};
  add({1, 1, 1, 1});
  close_calls.score(0, frame_at(3), one);
  close_calls.score(1, frame_at(3), other);
  close_calls.score(2, frame_at(3));
  close_calls.score(3, frame_at(0.1), one);  // close, and computed again for its call
  EXPECT_FALSE(all_counters.shadow.embeddings.value());
  for (const std::uint64_t number : {0U, 2U, 3U}) close_calls.score(number, frame_at(3), one);
  EXPECT_FALSE(all_counters.shadow.embeddings.value()) << "of one pair";
  close_calls.score(1, frame_at(3), other);
  EXPECT_NEAR(all_counters.shadow.embeddings.value().value(), 1, 1e-12);
}

TEST_F(Shadowed, CallsThatFailAreKeptAndSayNothing) {
  add({2, 1});
  close_calls.score(0, frame_at(3));
  close_calls.fail(1);
  close_calls.score(2, frame_at(-3));
  EXPECT_EQ(again.size(), 2U);
  close_calls.fail(0);
  close_calls.score(2, {.others = std::nanf(""), .virus = 0});
  EXPECT_EQ(finals.size(), 2U);
  EXPECT_EQ(missing, std::set<std::uint64_t>{1});
  const ShadowEstimate estimate = shadow_estimate(all_counters.shadow, 1);
  EXPECT_EQ(estimate.chunks, 2U);
  EXPECT_EQ(estimate.sampled, 0U);
}

}  // namespace
}  // namespace virnucpro
