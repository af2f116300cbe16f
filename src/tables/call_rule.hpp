#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tables/contig_rollup.hpp"

namespace virnucpro {

// The calls of a sequence.
enum class Call : std::uint8_t { kVirus, kOthers, kAmbiguous, kUnscored };
std::string_view word_of(Call call);  // "virus", "others", "ambiguous", "unscored"
Call call_of(const ContigCall& contig);

// The rules that can call sequences.
enum class RuleName : std::uint8_t { kMajority, kViralNgs };
std::string_view word_of(RuleName name);
std::optional<RuleName> rule_named(std::string_view word);

// A run's one rule: when a chunk or a sequence is called virus (docs/reference/semantics.md,
// section 6). Every file follows it: contigs.tsv once had a rule of its own, and its count of
// viruses was not the summary's. Calls are made when a file is written and never stored, so another
// rule computes no score. A chunk's call is the same by both rules.
class CallRule {
 public:
  static constexpr double kDefaultMinScore = 0;  // the original's rule alone
  static constexpr double kDefaultMinShare = 0.5;

  // The default rule.
  CallRule() = default;
  // The rule by majority; both numbers are from 0 to 1. `min_score`: the least virus score of a
  // virus chunk, as it is printed; `min_share`: the least share of virus chunks among scored ones.
  CallRule(double min_score, double min_share);

  // Makes viral-ngs the rule. `min_tier`, one of kTiers, is the least tier of the sequences called
  // virus that are written.
  void use_viral_ngs(std::string_view min_tier = kReviewTier);
  // Sets the numbers of viral-ngs, which label-reads takes in a run by majority, too.
  void set_viral_ngs(const RollupRule& rule) { viral_ngs_ = rule; }

  RuleName name() const { return name_; }
  bool is_viral_ngs() const { return name_ == RuleName::kViralNgs; }
  double min_score() const { return min_score_; }
  double min_share() const { return min_share_; }
  const RollupRule& viral_ngs() const { return viral_ngs_; }
  std::string_view min_tier() const { return min_tier_; }

  // Takes a chunk's highest scores. As in the original, equal scores make it virus.
  bool is_virus_chunk(float others, float virus) const {
    return virus >= others && virus >= least_score_;
  }

  // True if both call every sequence alike, and choose the same ones to be written.
  bool operator==(const CallRule& other) const;

 private:
  RuleName name_ = RuleName::kMajority;
  double min_score_ = kDefaultMinScore;
  double min_share_ = kDefaultMinShare;
  RollupRule viral_ngs_{};
  std::string_view min_tier_ = kReviewTier;
  // The smallest score whose printed digits reach min_score_.
  float least_score_ = -std::numeric_limits<float>::infinity();
};

// A user's changes to a run's own rule; empty members change nothing.
struct CallRuleChange {
  std::optional<RuleName> name{};
  std::optional<double> min_score{};
  std::optional<double> min_share{};
  RollupChange viral_ngs{};
  std::string_view min_tier{};

  // Returns the changed rule. Errors: kUsage for a number of the other rule.
  CallRule over(const CallRule& rule) const;
};

// Returns the rule as logs and summaries state it: "majority: virus score at least 0.8, …".
std::string text_of(const CallRule& rule);

}  // namespace virnucpro
