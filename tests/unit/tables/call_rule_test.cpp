#include "tables/call_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tables/score_text.hpp"
#include "unit/made_cut_offs.hpp"

namespace virnucpro {
namespace {

TEST(CallRule, IsTheOriginalsByDefault) {
  const CallRule rule;
  EXPECT_TRUE(rule.is_virus_chunk({0.5F, 0.5F}));
  EXPECT_TRUE(rule.is_virus_chunk({0.0F, 0.0F}));
  EXPECT_FALSE(rule.is_virus_chunk({0.51F, 0.5F}));
  EXPECT_FALSE(rule.is_virus_chunk({0.5F, std::nanf("")}));
  EXPECT_FALSE(rule.is_viral_ngs());
}

TEST(CallRule, NeedsBothOrderAndScore) {
  const CallRule rule(0.8, 0.5);
  EXPECT_TRUE(rule.is_virus_chunk({0.1F, 0.9F}));
  EXPECT_FALSE(rule.is_virus_chunk({0.3F, 0.7F}));
  EXPECT_FALSE(rule.is_virus_chunk({0.95F, 0.9F}));
}

// float32(0.7) is 0.699999988 and is printed as 0.7, float32(0.8) is 0.800000012.
TEST(CallRule, ComparesScoresAsTheyArePrinted) {
  for (const double least : {0.7, 0.8, 0.1, 1.0, 1e-5, 0.123456789, 0.3, 0.99999999}) {
    const CallRule rule(least, 0);
    float score = std::nextafter(static_cast<float>(least), 0.0F);
    score = std::nextafter(score, 0.0F);
    for (int k = 0; k < 5; ++k, score = std::nextafter(score, 2.0F)) {
      const double printed = parse_number(score_text(score)).value();
      EXPECT_EQ(rule.is_virus_chunk({0, score}), printed >= least) << score_text(score);
    }
  }
}

TEST(CallRule, IsChangedByPart) {
  const CallRule run(0.25, 0.75);
  EXPECT_EQ(CallRuleChange().over(run), run);
  EXPECT_EQ(CallRuleChange{.min_score = 0.5}.over(run), CallRule(0.5, 0.75));
  EXPECT_EQ(CallRuleChange{.min_share = 0}.over(run), CallRule(0.25, 0));
  CallRule contigs = CallRuleChange{.name = RuleName::kViralNgs, .min_tier = kLowTier}.over(run);
  EXPECT_TRUE(contigs.is_viral_ngs());
  EXPECT_EQ(contigs.min_tier(), kLowTier);
  EXPECT_EQ(contigs.min_score(), 0.25);
  EXPECT_EQ(CallRuleChange().over(contigs), contigs);
  EXPECT_EQ(CallRuleChange{.name = RuleName::kMajority}.over(contigs), run);
}

TEST(CallRule, TakesNoNumberOfTheOtherOne) {
  CallRule contigs;
  contigs.use_viral_ngs();
  EXPECT_THROW(CallRuleChange{.min_share = 0.5}.over(contigs), Error);
  EXPECT_THROW(CallRuleChange{.min_tier = kLowTier}.over(CallRule()), Error);
  CallRuleChange number;
  number.viral_ngs.min_chunks = 2;
  EXPECT_THROW(number.over(CallRule()), Error);
  EXPECT_EQ(number.over(contigs).viral_ngs().min_chunks, 2U);
}

TEST(CallRule, TakesItsNumbersFromCutOffs) {
  CutOffs made = made_cut_offs(RuleName::kMajority, {0.7, 0.8, 0.9});
  made.min_share = 0.25;
  const auto cut_offs = read_made(made);
  const CallRuleChange change{.cut_offs = cut_offs};
  const CallRule rule = change.over(CallRule(0.8, 0.75));
  EXPECT_EQ(rule.min_score(), 0);
  EXPECT_EQ(rule.min_share(), 0.25);
  EXPECT_EQ(rule.cut_offs(), cut_offs);
  EXPECT_NE(rule, CallRule(0, 0.25));
  EXPECT_NE(rule, rule_with(RuleName::kMajority, {0.7, 0.8, 0.91}));
  CallRule contigs;
  contigs.use_viral_ngs(kHighTier);
  EXPECT_EQ(change.over(contigs), rule) << "the cut-offs choose the rule";

  made = made_cut_offs(RuleName::kViralNgs, {0.7, 0.8, 0.9});
  made.viral_ngs.min_chunks = 9;
  CallRuleChange of_contigs{.cut_offs = read_made(made)};
  EXPECT_EQ(of_contigs.over(contigs).viral_ngs().min_chunks, 9U);
  EXPECT_EQ(of_contigs.over(contigs).min_tier(), kHighTier);
  of_contigs.min_tier = kLowTier;
  EXPECT_EQ(of_contigs.over(contigs).min_tier(), kLowTier);
}

TEST(CallRule, RefusesNumbersBesideCutOffs) {
  const auto cut_offs = read_made(made_cut_offs(RuleName::kMajority, {0.7, 0.8, 0.9}));
  const CallRuleChange alone{.cut_offs = cut_offs};
  CallRuleChange change = alone;
  change.min_score = 0;
  EXPECT_THROW(change.over({}), Error);
  change = alone;
  change.min_share = 0.5;
  EXPECT_THROW(change.over({}), Error);
  change = alone;
  change.viral_ngs.min_chunks = 3;
  EXPECT_THROW(change.over({}), Error);
  change = alone;
  change.min_tier = kLowTier;
  EXPECT_THROW(change.over({}), Error);
  change = alone;
  change.name = RuleName::kViralNgs;
  EXPECT_THROW(change.over({}), Error);
  change.name = RuleName::kMajority;
  EXPECT_EQ(change.over({}), alone.over({}));
}

TEST(CallRule, KeepsItsCutOffsUntilANumberIsGiven) {
  const CallRule rule = rule_with(RuleName::kMajority, {0.7, 0.8, 0.9});
  EXPECT_EQ(CallRuleChange().over(rule), rule);
  EXPECT_EQ(CallRuleChange{.name = RuleName::kMajority}.over(rule), rule);
  EXPECT_FALSE(CallRuleChange{.min_score = 0}.over(rule).cut_offs());
  EXPECT_FALSE(CallRuleChange{.min_share = 0.5}.over(rule).cut_offs());
  EXPECT_FALSE(CallRuleChange{.name = RuleName::kViralNgs}.over(rule).cut_offs());
}

TEST(CallRule, NamesCallsAndTiers) {
  EXPECT_EQ(word_of(Call::kAmbiguous), "ambiguous");
  EXPECT_EQ(call_of({.call = kNonviralCall, .tier = kLowTier}), Call::kOthers);
  EXPECT_EQ(rule_named("viral-ngs"), RuleName::kViralNgs);
  EXPECT_FALSE(rule_named("Majority"));
  EXPECT_EQ(tier_named("moderate"), kModerateTier);
  EXPECT_EQ(tier_named("none"), "");
  EXPECT_TRUE(reaches(kHighTier, kLowTier));
  EXPECT_FALSE(reaches(kReviewTier, kLowTier));
}

}  // namespace
}  // namespace virnucpro
