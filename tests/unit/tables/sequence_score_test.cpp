#include "tables/sequence_score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tables/sequence_summary.hpp"
#include "unit/made_cut_offs.hpp"

namespace virnucpro {
namespace {

using Chunks = std::vector<ChunkScore>;

// Few different scores, so that there are ties and shares on the boundary.
Chunks random_chunks(std::mt19937& source) {
  std::uniform_int_distribution<std::uint64_t> size(1, 9);
  std::uniform_int_distribution<int> tenth(0, 10);
  Chunks chunks;
  for (std::uint64_t k = 0, n = size(source); k < n; ++k) {
    chunks.push_back({.chunk = k,
                      .scores = {.others = static_cast<float>(tenth(source)) / 10,
                                 .virus = static_cast<float>(tenth(source)) / 10}});
  }
  return chunks;
}

double score_of(const CallRule& rule, const Chunks& chunks) {
  SequenceScore score(rule);
  // In two parts, as of a long sequence.
  const auto middle = chunks.begin() + static_cast<std::ptrdiff_t>(chunks.size() / 2);
  score.add({chunks.begin(), middle});
  score.add({middle, chunks.end()});
  EXPECT_EQ(score.chunks_scored(), chunks.size());
  return score.value().value();
}

SequenceSummary summary_of(const CallRule& rule, const Chunks& chunks) {
  SequenceSummary summary(rule);
  summary.add({.id = "a", .length = 300, .chunks = chunks.size(), .frames = {}}, chunks);
  return summary;
}

TEST(SequenceScores, AreEmptyWithoutAScoredChunk) {
  EXPECT_FALSE(SequenceScore(CallRule()).value());
  CallRule contigs;
  contigs.use_viral_ngs();
  EXPECT_FALSE(SequenceScore(contigs).value());
}

TEST(SequenceScores, CountChunksAsTheRuleMajorityDoes) {
  for (const double share : {0.0, 0.1, 0.3, 1.0 / 3, 0.5, 0.7, 0.9, 1.0}) {
    for (std::uint64_t n = 1; n < 60; ++n) {
      const std::uint64_t k = least_count(share, n);
      const auto part = [n](std::uint64_t some) {
        return static_cast<double>(some) / static_cast<double>(n);
      };
      EXPECT_GE(part(k), share);
      EXPECT_TRUE(k == 1 || part(k - 1) < share) << share << " of " << n;
    }
  }
}

TEST(SequenceScores, AreTheLargestMinScoreThatCallsVirus) {
  std::mt19937 source(1);
  for (int k = 0; k < 2000; ++k) {
    const Chunks chunks = random_chunks(source);
    const double share = std::vector{0.0, 0.3, 0.5, 0.8, 1.0}[source() % 5];
    const double score = score_of(CallRule(0, share), chunks);
    const auto call_at = [&](double min_score) {
      return summary_of(CallRule(min_score, share), chunks).call();
    };
    EXPECT_TRUE(score == 0 || call_at(score) == Call::kVirus) << score;
    EXPECT_TRUE(share == 0 || call_at(std::nextafter(score, 2.0)) == Call::kOthers) << score;
  }
}

TEST(SequenceScores, AreComparedWithTheCutOffOfTheBin) {
  std::mt19937 source(2);
  const std::vector<std::optional<double>> values{0.6, std::nullopt, 0.3};
  for (const RuleName name : {RuleName::kMajority, RuleName::kViralNgs}) {
    const CallRule rule = rule_with(name, values);
    int viruses = 0;
    for (int k = 0; k < 2000; ++k) {
      const Chunks chunks = random_chunks(source);
      const auto& cut_off = values[rule.cut_offs()->bin_of(chunks.size())];
      const bool is_virus = cut_off && score_of(rule, chunks) >= *cut_off;
      const SequenceSummary summary = summary_of(rule, chunks);
      EXPECT_EQ(summary.call() == Call::kVirus, is_virus);
      EXPECT_EQ(summary.bin_of_cut_offs(), rule.cut_offs()->bin_of(chunks.size()));
      viruses += is_virus ? 1 : 0;
      if (name == RuleName::kMajority || is_virus) continue;
      EXPECT_EQ(summary.contig().call == kNonviralCall, summary.contig().weighted_delta < -0.3);
    }
    EXPECT_GT(viruses, 100);
  }
}

// A cut-off is a printed score, which is not always the double of the float.
TEST(SequenceScores, ReachACutOffThatIsTheirPrintedNumber) {
  const Chunks one{{.scores = {.others = 0.3F, .virus = 0.7F}}};
  const double score = score_of({}, one);
  EXPECT_EQ(score, 0.7);
  EXPECT_EQ(summary_of(rule_with(RuleName::kMajority, {score, {}, {}}), one).call(), Call::kVirus);
  EXPECT_EQ(summary_of(rule_with(RuleName::kMajority, {0.70000001, {}, {}}), one).call(),
            Call::kOthers);
}

}  // namespace
}  // namespace virnucpro
