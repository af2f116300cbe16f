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

// The single rule of a run that says when a chunk or a sequence is called virus
// (docs/reference/semantics.md, section 6). Every file follows it: contigs.tsv once had its own
// rule, and its count of viruses differed from the summary's. Calls are made when a file is written
// and never stored, so another rule computes no scores. Both rules call a chunk alike.
class CallRule {
 public:
  static constexpr double kDefaultMinScore = 0;  // no least score, as in the original
  static constexpr double kDefaultMinShare = 0.5;

  // The default rule.
  CallRule() = default;
  // Makes the rule by majority; both numbers are from 0 to 1. `min_score` is the least printed
  // virus score of a virus chunk, `min_share` the least share of virus chunks among scored chunks.
  CallRule(double min_score, double min_share);

  // Makes viral-ngs the rule. Sequences called virus are written if their tier is at least
  // `min_tier`, which is one of kTiers.
  void use_viral_ngs(std::string_view min_tier = kReviewTier);
  // Sets the numbers of viral-ngs. label-reads uses them also in a run by majority.
  void set_viral_ngs(const RollupRule& rule) { viral_ngs_ = rule; }

  RuleName name() const { return name_; }
  bool is_viral_ngs() const { return name_ == RuleName::kViralNgs; }
  double min_score() const { return min_score_; }
  double min_share() const { return min_share_; }
  const RollupRule& viral_ngs() const { return viral_ngs_; }
  std::string_view min_tier() const { return min_tier_; }

  // True if these highest scores of a chunk make it virus; equal scores do, as in the original.
  bool is_virus_chunk(float others, float virus) const {
    return virus >= others && virus >= least_score_;
  }

  // True if both rules call every sequence alike, and choose the same sequences to be written.
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

// A user's changes to the rule of a run; empty members change nothing.
struct CallRuleChange {
  std::optional<RuleName> name{};
  std::optional<double> min_score{};
  std::optional<double> min_share{};
  RollupChange viral_ngs{};
  std::string_view min_tier{};

  // Returns the changed rule. Errors: kUsage for a number that belongs to the other rule.
  CallRule over(const CallRule& rule) const;
};

// Returns the rule as logs and summaries state it: "majority: virus score at least 0.8, …".
std::string text_of(const CallRule& rule);

}  // namespace virnucpro
