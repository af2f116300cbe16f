#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tables/chunk_score.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/cut_offs.hpp"

namespace virnucpro {

enum class Call : std::uint8_t { kVirus, kOthers, kAmbiguous, kUnscored };
std::string_view word_of(Call call);  // "virus", "others", "ambiguous", "unscored"
Call call_of(const ContigCall& contig);

enum class RuleName : std::uint8_t { kMajority, kViralNgs };
std::string_view word_of(RuleName name);
std::optional<RuleName> rule_named(std::string_view word);

// The rule by which a run calls chunks and sequences virus (docs/reference/semantics.md, section
// 6). All files of the run follow this one rule. Calls are made when a file is written and are
// never stored, so a change of the rule needs no new scores. Both rules call a chunk in the same
// way.
class CallRule {
 public:
  static constexpr double kDefaultMinScore = 0;  // no least score, as in the original program
  static constexpr double kDefaultMinShare = 0.5;

  CallRule() = default;
  // Makes the majority rule. `min_score` (0 to 1) is the least printed virus score of a virus
  // chunk. `min_share` (0 to 1) is the least share of virus chunks among scored chunks.
  CallRule(double min_score, double min_share);

  // Switches to the rule viral-ngs. A sequence called virus is written to files of sequences if its
  // tier is at least `min_tier`, one of kTiers.
  void use_viral_ngs(std::string_view min_tier = kReviewTier);
  // Calls sequences by cut-offs, made for this rule, instead of by the rule's own thresholds.
  void use_cut_offs(std::shared_ptr<const CutOffs> cut_offs) { cut_offs_ = std::move(cut_offs); }
  // Sets the thresholds of viral-ngs. label-reads uses them even if the run's rule is majority.
  void set_viral_ngs(const RollupRule& rule) { viral_ngs_ = rule; }

  RuleName name() const { return name_; }
  bool is_viral_ngs() const { return name_ == RuleName::kViralNgs; }
  double min_score() const { return min_score_; }
  double min_share() const { return min_share_; }
  const RollupRule& viral_ngs() const { return viral_ngs_; }
  std::string_view min_tier() const { return min_tier_; }
  // Null: sequences are called by the rule's own thresholds.
  const std::shared_ptr<const CutOffs>& cut_offs() const { return cut_offs_; }

  // True if this rule calls a chunk virus. `scores` has the highest virus score and the highest
  // others score of the chunk's frames, perhaps of different frames. A tie counts as virus.
  bool is_virus_chunk(const ScorePair& scores) const {
    return is_originally_virus(scores) && scores.virus >= least_score_;
  }

  // True if both rules give every sequence the same call and write the same sequences to files.
  bool operator==(const CallRule& other) const;

 private:
  RuleName name_ = RuleName::kMajority;
  double min_score_ = kDefaultMinScore;
  double min_share_ = kDefaultMinShare;
  RollupRule viral_ngs_{};
  std::string_view min_tier_ = kReviewTier;
  // The smallest float32 score whose printed value is at least min_score_.
  float least_score_ = -std::numeric_limits<float>::infinity();
  std::shared_ptr<const CutOffs> cut_offs_{};
};

// A user's changes to the rule of a run; empty members change nothing.
struct CallRuleChange {
  std::optional<RuleName> name{};
  std::optional<double> min_score{};
  std::optional<double> min_share{};
  RollupChange viral_ngs{};
  std::string_view min_tier{};
  std::shared_ptr<const CutOffs> cut_offs{};  // they also set the rule's name and numbers

  // Returns the changed rule. The rule's own cut-offs stay until a number or another rule is given.
  // Errors: kUsage for a setting that the chosen rule does not use.
  CallRule over(const CallRule& rule) const;

 private:
  CallRule over_by_cut_offs(const CallRule& rule) const;
};

// Returns the rule as logs and summaries state it: "majority: virus score at least 0.8, …".
std::string text_of(const CallRule& rule);

}  // namespace virnucpro
