#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/score_pair.hpp"

namespace virnucpro {

// The rule by which a public-health centre calls contigs from VirNucPro's table of chunks
// (broadinstitute/viral-ngs, VIRNUCPRO.md at c35cedd; docs/reference/semantics.md, section 6). The
// thresholds are the centre's; this program did not calibrate them. Column names, digits and
// rounding are those of viral-ngs. This program's own columns come after those of viral-ngs.
struct RollupRule {
  double min_weighted_delta = 0.3;     // delta > this: viral; delta < -this: non-viral
  double high_confidence_delta = 0.6;  // |delta| > this: high confidence, not moderate
  double min_confident_score = 0.8;    // a confident chunk scores above this for its class …
  double max_opposing_score = 0.3;     // … and below this for the other class
  double min_ambiguous_score = 0.7;    // an ambiguous chunk scores above this for both
  double min_viral_prop = 0.1;         // least share of confident chunks; below it, low confidence
  double min_nonviral_prop = 0.1;
  std::uint64_t min_chunks = 5;  // fewer chunks: high and moderate become low, low becomes review

  bool operator==(const RollupRule&) const = default;
};

inline constexpr std::string_view kRollupName = "viral-ngs";

// A threshold of the rule, from 0 to 1, with its flag and help. min_chunks has no RollupNumber.
struct RollupNumber {
  const char* flag;
  const char* help;
  double RollupRule::*value;
};
inline constexpr std::array kRollupNumbers{
    RollupNumber{"--min-weighted-delta",
                 "A contig with a weighted_delta above X is viral, below -X non-viral",
                 &RollupRule::min_weighted_delta},
    RollupNumber{"--high-confidence-delta",
                 "High confidence needs a weighted_delta above X or below -X",
                 &RollupRule::high_confidence_delta},
    RollupNumber{"--min-confident-score", "A confident chunk scores above X for its class",
                 &RollupRule::min_confident_score},
    RollupNumber{"--max-opposing-score", "A confident chunk scores below X for the other class",
                 &RollupRule::max_opposing_score},
    RollupNumber{"--min-ambiguous-score", "An ambiguous chunk scores above X for both classes",
                 &RollupRule::min_ambiguous_score},
    RollupNumber{"--min-viral-prop",
                 "Least share of confident viral chunks for high or moderate confidence",
                 &RollupRule::min_viral_prop},
    RollupNumber{"--min-nonviral-prop",
                 "Least share of confident non-viral chunks for high or moderate confidence",
                 &RollupRule::min_nonviral_prop},
};

// The thresholds that a user changes; empty members change nothing.
struct RollupChange {
  std::array<std::optional<double>, kRollupNumbers.size()> numbers{};  // as in kRollupNumbers
  std::optional<std::uint64_t> min_chunks{};

  bool is_empty() const;
  RollupRule over(RollupRule rule) const;
};

// These convert a rule to the journal's text and back; nullopt for any other text.
std::string text_of(const RollupRule& rule);
std::optional<RollupRule> parse_rollup(std::string_view text);

// The calls of a contig, or of a read that is aligned to a contig.
inline constexpr std::string_view kViralCall = "Viral";
inline constexpr std::string_view kNonviralCall = "Non-viral";
inline constexpr std::string_view kAmbiguousCall = "Ambiguous";
inline constexpr std::string_view kUnclassifiedCall = "Unclassified";
// The tiers: the confidence of a call, highest first. A person should check contigs in kReviewTier.
inline constexpr std::string_view kHighTier = "high_confidence";
inline constexpr std::string_view kModerateTier = "moderate_confidence";
inline constexpr std::string_view kLowTier = "low_confidence";
inline constexpr std::string_view kReviewTier = "review";
inline constexpr std::array kTiers{kHighTier, kModerateTier, kLowTier, kReviewTier};
// These convert a tier to "high", "moderate", "low" or "review" and back; empty for other words.
std::string_view short_tier(std::string_view tier);
std::string_view tier_named(std::string_view word);
// True if `tier` is at least as high as `least`.
bool reaches(std::string_view tier, std::string_view least);

// The call of a contig, from all its chunks.
struct ContigCall {
  std::string_view call;  // a call named above; kUnclassifiedCall without chunks
  std::string_view tier;  // a tier named above; empty without chunks
  double weighted_delta = 0;
  std::uint64_t chunks = 0;  // scored chunks
  std::uint64_t confident_viral = 0;
  std::uint64_t confident_nonviral = 0;
  std::uint64_t ambiguous = 0;
  double viral_proportion = 0;
  double nonviral_proportion = 0;
};

// The names of a call's columns in tables, and a call's values, both separated by tabs.
inline constexpr std::string_view kContigCallColumns =
    "call\ttier\tweighted_delta\tn_chunks\tn_confident_viral\tn_confident_nonviral\tn_ambiguous\t"
    "viral_proportion\tnonviral_proportion";
std::string columns_of(const ContigCall& found);

// Adds up the scored chunks of one contig, in order.
class ContigRollup {
 public:
  explicit ContigRollup(const RollupRule& rule) : rule_(rule) {}

  void add(const ScorePair& chunk);
  // Call it only if a chunk was added.
  double weighted_delta() const;
  // By the rule's thresholds, a contig is viral if its weighted delta is above min_weighted_delta.
  ContigCall result() const;
  // A contig is viral if its weighted delta is at least `cut_off`; not viral if `cut_off` is empty.
  ContigCall result_by(const std::optional<double>& cut_off) const;

 private:
  ContigCall result(bool is_viral) const;
  std::string_view tier(const ContigCall& found) const;

  RollupRule rule_;
  std::uint64_t chunks_ = 0;
  std::uint64_t confident_viral_ = 0;
  std::uint64_t confident_nonviral_ = 0;
  std::uint64_t ambiguous_ = 0;
  double deltas_ = 0;
  double weighted_deltas_ = 0;
  double weights_ = 0;
};

}  // namespace virnucpro
