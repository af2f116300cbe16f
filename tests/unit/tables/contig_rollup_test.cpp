#include "tables/contig_rollup.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tables/contig_table.hpp"

namespace virnucpro {
namespace {

using Scores = std::vector<std::pair<float, float>>;  // of others, of virus

ContigCall call_of(const Scores& scores, const RollupRule& rule = {}) {
  ContigRollup rollup(rule);
  for (const auto& [others, virus] : scores) rollup.add({.others = others, .virus = virus});
  return rollup.result();
}

std::string_view tier_of(const Scores& scores, const RollupRule& rule = {}) {
  return call_of(scores, rule).tier;
}

Scores times(std::size_t count, float others, float virus) {
  Scores scores;
  scores.resize(count, {others, virus});
  return scores;
}

TEST(ContigRollup, HasNoCallWithoutChunks) {
  const ContigCall found = call_of({});
  EXPECT_EQ(found.call, "Unclassified");
  EXPECT_EQ(found.tier, "");
  EXPECT_EQ(found.chunks, 0U);
}

// delta 0.75 with weight 0.866…, and -0.25 with 0.5.
TEST(ContigRollup, WeighsEachDifferenceByItsRoot) {
  const ContigCall found = call_of({{0.125F, 0.875F}, {0.5F, 0.25F}});
  EXPECT_NEAR(found.weighted_delta, (0.75 * 0.8660254037844386 - 0.25 * 0.5) / 1.3660254037844386,
              1e-15);
  EXPECT_EQ(found.chunks, 2U);
  EXPECT_EQ(found.confident_viral, 1U);
}

TEST(ContigRollup, TakesTheMeanWhereNothingWeighs) {
  const ContigCall found = call_of({{0.5F, 0.5F}, {0.9F, 0.9F}});
  EXPECT_EQ(found.weighted_delta, 0);
  EXPECT_EQ(found.call, "Ambiguous");
  EXPECT_EQ(found.tier, "review");
  EXPECT_EQ(found.ambiguous, 1U);
}

TEST(ContigRollup, HasAProportionOfZeroWhereAllIsAmbiguous) {
  const ContigCall found = call_of(times(6, 0.75F, 0.95F));
  EXPECT_EQ(found.ambiguous, 6U);
  EXPECT_EQ(found.viral_proportion, 0);
}

// float32(0.8) is 0.800000012, and printed as 0.8: not above 0.8.
TEST(ContigRollup, TakesScoresAsTheyArePrinted) {
  EXPECT_EQ(call_of({{0.1F, 0.8F}}).confident_viral, 0U);
  EXPECT_EQ(call_of({{0.1F, 0.80001F}}).confident_viral, 1U);
  EXPECT_EQ(call_of({{0.3F, 0.9F}}).confident_viral, 0U);
  EXPECT_EQ(call_of({{0.7F, 0.71F}}).ambiguous, 0U);
}

TEST(ContigRollup, CallsBeyondTheLeastDifferenceOnly) {
  const RollupRule rule{.min_weighted_delta = 0.5};
  EXPECT_EQ(call_of({{0.25F, 0.75F}}, rule).call, "Ambiguous");
  EXPECT_EQ(call_of({{0.25F, 0.8F}}, rule).call, "Viral");
  EXPECT_EQ(call_of({{0.75F, 0.25F}}, rule).call, "Ambiguous");
  EXPECT_EQ(call_of({{0.8F, 0.25F}}, rule).call, "Non-viral");
}

// A contig whose chunks all have a difference of 0.5, at each number of the rule and beside it.
TEST(ContigRollup, IsStrictAboutEachNumber) {
  const Scores viral = times(5, 0.25F, 0.75F);
  const Scores nonviral = times(5, 0.75F, 0.25F);
  const auto tiers = [&](const RollupRule& rule) {
    EXPECT_EQ(tier_of(nonviral, rule), tier_of(viral, rule));
    return tier_of(viral, rule);
  };
  EXPECT_EQ(tiers({.min_confident_score = 0.74}), "moderate_confidence");
  EXPECT_EQ(tiers({.min_confident_score = 0.75}), "low_confidence");
  EXPECT_EQ(tiers({.min_confident_score = 0.7, .max_opposing_score = 0.25}), "low_confidence");
  EXPECT_EQ(tiers({.high_confidence_delta = 0.49, .min_confident_score = 0.7}), "high_confidence");
  EXPECT_EQ(tiers({.high_confidence_delta = 0.5, .min_confident_score = 0.7}),
            "moderate_confidence");
  EXPECT_EQ(tiers({.min_confident_score = 0.7, .min_chunks = 6}), "low_confidence");
  EXPECT_EQ(call_of(times(2, 0.75F, 0.75F), {.min_ambiguous_score = 0.75}).ambiguous, 0U);
  EXPECT_EQ(call_of(times(2, 0.75F, 0.75F), {.min_ambiguous_score = 0.74}).ambiguous, 2U);
  EXPECT_EQ(call_of(times(2, 0.75F, 0.5F), {.min_ambiguous_score = 0.6}).ambiguous, 0U);
}

TEST(ContigRollup, CountsConfidentChunksOfThoseThatAreNotAmbiguous) {
  Scores scores = times(8, 0.72F, 0.75F);
  scores.insert(scores.end(),
                {{0.1F, 0.9F}, {0.1F, 0.9F}, {0.1F, 0.9F}, {0.4F, 0.5F}, {0.9F, 0.1F}});
  const ContigCall found = call_of(scores);
  EXPECT_EQ(found.chunks, 13U);
  EXPECT_EQ(found.ambiguous, 8U);
  EXPECT_EQ(found.viral_proportion, 0.6);
  EXPECT_EQ(found.nonviral_proportion, 0.2);
}

TEST(ContigRollup, GivesATier) {
  EXPECT_EQ(tier_of(times(5, 0.1F, 0.9F)), "high_confidence");
  EXPECT_EQ(tier_of(times(5, 0.9F, 0.1F)), "high_confidence");
  EXPECT_EQ(tier_of(times(5, 0.25F, 0.82F)), "moderate_confidence");
  EXPECT_EQ(tier_of(times(5, 0.82F, 0.25F)), "moderate_confidence");
  EXPECT_EQ(tier_of(times(5, 0.2F, 0.75F)), "low_confidence");
  EXPECT_EQ(tier_of(times(5, 0.75F, 0.2F)), "low_confidence");
  EXPECT_EQ(tier_of(times(5, 0.4F, 0.6F)), "review");
}

TEST(ContigRollup, TrustsFewChunksLess) {
  EXPECT_EQ(tier_of(times(4, 0.1F, 0.9F)), "low_confidence");
  EXPECT_EQ(tier_of(times(4, 0.25F, 0.82F)), "low_confidence");
  EXPECT_EQ(tier_of(times(4, 0.2F, 0.75F)), "review");
  EXPECT_EQ(tier_of(times(4, 0.4F, 0.6F)), "review");
  EXPECT_EQ(tier_of(times(1, 0.1F, 0.9F), {.min_chunks = 1}), "high_confidence");
}

TEST(ContigRollup, WantsAShareOfConfidentChunks) {
  Scores scores = times(10, 0.2F, 0.75F);
  scores[0] = {0.1F, 0.9F};
  EXPECT_EQ(tier_of(scores), "moderate_confidence");
  EXPECT_EQ(tier_of(scores, {.min_viral_prop = 0.11}), "low_confidence");
  Scores others = times(10, 0.75F, 0.2F);
  others[0] = {0.9F, 0.1F};
  EXPECT_EQ(tier_of(others), "moderate_confidence");
  EXPECT_EQ(tier_of(others, {.min_nonviral_prop = 0.11}), "low_confidence");
  EXPECT_EQ(tier_of(times(10, 0.2F, 0.75F), {.min_viral_prop = 0}), "low_confidence");
}

TEST(NaturalKey, TakesRunsOfDigitsForNumbers) {
  const std::vector<std::string> ordered{"",
                                         "2",
                                         "10",
                                         "NODE",
                                         "NODE_2",
                                         "NODE_2_length_900",
                                         "NODE_2_length_1000",
                                         "NODE_10",
                                         "NODE_10x",
                                         "NODE_100",
                                         "NODEs_1",
                                         "a1b",
                                         "a1b2",
                                         "a1c"};
  for (std::size_t k = 1; k < ordered.size(); ++k) {
    EXPECT_LT(natural_key(ordered[k - 1]), natural_key(ordered[k])) << ordered[k];
  }
  EXPECT_EQ(natural_key("a007"), natural_key("a7"));
}

TEST(RollupRules, AreReadBackFromAJournal) {
  const RollupRule rule{.min_weighted_delta = 0.25, .min_nonviral_prop = 0.1, .min_chunks = 7};
  EXPECT_EQ(parse_rollup(text_of(rule)), rule);
  for (const char* text :
       {"", "viral-ngs", "other 0.3 0.6 0.8 0.3 0.7 0.1 0.1 5",
        "viral-ngs 0.3 0.6 0.8 0.3 0.7 0.1 x 5", "viral-ngs 0.3 0.6 0.8 0.3 0.7 0.1 0.1 5 6"}) {
    EXPECT_FALSE(parse_rollup(text)) << text;
  }
}

}  // namespace
}  // namespace virnucpro
