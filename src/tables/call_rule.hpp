#pragma once

#include <limits>
#include <optional>
#include <string>

namespace virnucpro {

// When a chunk, and when a sequence is called virus (docs/reference/semantics.md, section 6).
class CallRule {
 public:
  static constexpr double kDefaultMinScore = 0;  // the original's rule alone
  static constexpr double kDefaultMinShare = 0.5;

  // The default rule.
  CallRule() = default;
  // Both from 0 to 1. `min_score`: of a chunk's virus score, as it is printed; `min_share`: of
  // virus chunks per scored chunk.
  CallRule(double min_score, double min_share);

  double min_score() const { return min_score_; }
  double min_share() const { return min_share_; }

  // A chunk's highest scores. The original calls it virus when that of virus is not the smaller.
  bool is_virus_chunk(float others, float virus) const {
    return virus >= others && virus >= least_score_;
  }
  bool is_virus(double virus_share) const { return virus_share >= min_share_; }

  bool operator==(const CallRule&) const = default;

 private:
  double min_score_ = kDefaultMinScore;
  double min_share_ = kDefaultMinShare;
  // The smallest score whose printed digits reach min_score_.
  float least_score_ = -std::numeric_limits<float>::infinity();
};

// What is asked for instead of a run's own rule; empty: as it is.
struct CallRuleChange {
  std::optional<double> min_score{};
  std::optional<double> min_share{};

  CallRule over(const CallRule& rule) const;
};

// The rule as logs and summaries state it: "virus score at least 0.8, share at least 0.5".
std::string text_of(const CallRule& rule);

}  // namespace virnucpro
