#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tables/contig_rollup.hpp"

namespace virnucpro {

// What a sequence is called.
enum class Call : std::uint8_t { kVirus, kOthers, kAmbiguous, kUnscored };
std::string_view word_of(Call call);  // "virus", "others", "ambiguous", "unscored"
Call call_of(const ContigCall& contig);

// Which rule calls sequences.
enum class RuleName : std::uint8_t { kMajority, kViralNgs };
std::string_view word_of(RuleName name);
std::optional<RuleName> rule_named(std::string_view word);

// A run's one rule: when a chunk, and when a sequence is called virus (docs/reference/semantics.md,
// section 6). A chunk's call is the same by both rules.
class CallRule {
 public:
  static constexpr double kDefaultMinScore = 0;  // the original's rule alone
  static constexpr double kDefaultMinShare = 0.5;

  // The default rule.
  CallRule() = default;
  // By majority. Both from 0 to 1. `min_score`: of a chunk's virus score, as it is printed;
  // `min_share`: of virus chunks per scored chunk.
  CallRule(double min_score, double min_share);

  // Calls by viral-ngs. `min_tier`, one of kTiers: of the sequences called virus those are written
  // that reach it.
  void use_viral_ngs(std::string_view min_tier = kReviewTier);
  // The numbers of viral-ngs, which a run by majority has for label-reads.
  void set_viral_ngs(const RollupRule& rule) { viral_ngs_ = rule; }

  RuleName name() const { return name_; }
  bool is_viral_ngs() const { return name_ == RuleName::kViralNgs; }
  double min_score() const { return min_score_; }
  double min_share() const { return min_share_; }
  const RollupRule& viral_ngs() const { return viral_ngs_; }
  std::string_view min_tier() const { return min_tier_; }

  // A chunk's highest scores. The original calls it virus when that of virus is not the smaller.
  bool is_virus_chunk(float others, float virus) const {
    return virus >= others && virus >= least_score_;
  }

  // Whether both call every sequence alike, and choose the same.
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

// What is asked for instead of a run's own rule; empty: as it is.
struct CallRuleChange {
  std::optional<RuleName> name{};
  std::optional<double> min_score{};
  std::optional<double> min_share{};
  RollupChange viral_ngs{};
  std::string_view min_tier{};

  // Errors: kUsage for a number of the rule that does not call.
  CallRule over(const CallRule& rule) const;
};

// The rule as logs and summaries state it: "majority: virus score at least 0.8, …".
std::string text_of(const CallRule& rule);

}  // namespace virnucpro
