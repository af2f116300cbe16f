#include "tables/call_rule.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tables/score_text.hpp"

namespace virnucpro {
namespace {

float least_score_for(double min_score) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (min_score <= 0) return -kInfinity;
  float score = std::nextafter(static_cast<float>(min_score), -kInfinity);
  while (printed_score(score) < min_score) score = std::nextafter(score, kInfinity);
  return score;
}

constexpr std::array kCallWords{std::string_view("virus"), std::string_view("others"),
                                std::string_view("ambiguous"), std::string_view("unscored")};
constexpr std::array kRuleWords{std::string_view("majority"), kRollupName};

void refuse(const char* flag, const char* rule) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{0} belongs to the rule {1}: give --rule {1}", flag, rule));
}

const char* first_flag(const RollupChange& change) {
  for (std::size_t k = 0; k < kRollupNumbers.size(); ++k) {
    if (change.numbers[k]) return kRollupNumbers[k].flag;
  }
  return "--min-chunks";
}

}  // namespace

std::string_view word_of(Call call) {
  return kCallWords.at(static_cast<std::size_t>(call));
}

Call call_of(const ContigCall& contig) {
  if (contig.call == kViralCall) return Call::kVirus;
  if (contig.call == kNonviralCall) return Call::kOthers;
  return contig.call == kAmbiguousCall ? Call::kAmbiguous : Call::kUnscored;
}

std::string_view word_of(RuleName name) {
  return kRuleWords.at(static_cast<std::size_t>(name));
}

std::optional<RuleName> rule_named(std::string_view word) {
  for (const RuleName name : {RuleName::kMajority, RuleName::kViralNgs}) {
    if (word_of(name) == word) return name;
  }
  return std::nullopt;
}

CallRule::CallRule(double min_score, double min_share)
    : min_score_(min_score), min_share_(min_share), least_score_(least_score_for(min_score)) {}

void CallRule::use_viral_ngs(std::string_view min_tier) {
  name_ = RuleName::kViralNgs;
  min_tier_ = min_tier;
}

bool CallRule::operator==(const CallRule& other) const {
  if (name_ != other.name_ || min_score_ != other.min_score_) return false;
  const auto hash = [](const CallRule& rule) { return rule.cut_offs_ ? rule.cut_offs_->hash : ""; };
  if (hash(*this) != hash(other)) return false;
  if (!is_viral_ngs()) return min_share_ == other.min_share_;
  return viral_ngs_ == other.viral_ngs_ && min_tier_ == other.min_tier_;
}

CallRule CallRuleChange::over(const CallRule& rule) const {
  if (cut_offs) return over_by_cut_offs(rule);
  const RuleName chosen = name.value_or(rule.name());
  if (chosen == RuleName::kViralNgs && min_share) refuse("--min-share", "majority");
  if (chosen == RuleName::kMajority && !(viral_ngs.is_empty() && min_tier.empty())) {
    refuse(min_tier.empty() ? first_flag(viral_ngs) : "--min-tier", "viral-ngs");
  }
  CallRule changed(min_score.value_or(rule.min_score()), min_share.value_or(rule.min_share()));
  changed.set_viral_ngs(viral_ngs.over(rule.viral_ngs()));
  if (chosen == RuleName::kViralNgs) {
    changed.use_viral_ngs(min_tier.empty() ? rule.min_tier() : min_tier);
  }
  const bool has_number = min_score || min_share || !viral_ngs.is_empty();
  if (chosen == rule.name() && !has_number) changed.use_cut_offs(rule.cut_offs());
  return changed;
}

CallRule CallRuleChange::over_by_cut_offs(const CallRule& rule) const {
  const auto refuse_flag = [this](std::string_view flag) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} and --cutoff exclude each other: {} sets the rule's thresholds",
                            flag, cut_offs->file));
  };
  if (min_score) refuse_flag("--min-score");
  if (min_share) refuse_flag("--min-share");
  if (!viral_ngs.is_empty()) refuse_flag(first_flag(viral_ngs));
  const bool is_viral_ngs = cut_offs->rule == kRollupName;
  if (name && word_of(*name) != cut_offs->rule) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--rule {}: the cut-offs in {} are for the rule {}; leave out --rule",
                            word_of(*name), cut_offs->file, cut_offs->rule));
  }
  if (!is_viral_ngs && !min_tier.empty()) refuse("--min-tier", "viral-ngs");
  CallRule changed(CallRule::kDefaultMinScore,
                   is_viral_ngs ? rule.min_share() : cut_offs->min_share);
  changed.set_viral_ngs(is_viral_ngs ? cut_offs->viral_ngs : rule.viral_ngs());
  if (is_viral_ngs) changed.use_viral_ngs(min_tier.empty() ? rule.min_tier() : min_tier);
  changed.use_cut_offs(cut_offs);
  return changed;
}

std::string text_of(const CallRule& rule) {
  if (const auto& cut_offs = rule.cut_offs()) {
    return fmt::format(
        "{}: cut-offs of {} (hash {}), which limit the share of others called virus to {:g}",
        word_of(rule.name()), cut_offs->file, cut_offs->hash, cut_offs->false_rate);
  }
  if (rule.is_viral_ngs()) {
    return fmt::format(
        "{}: weighted delta above {}, virus chunks score at least {}, files have viruses "
        "of tier {} or higher",
        word_of(rule.name()), rule.viral_ngs().min_weighted_delta, rule.min_score(),
        short_tier(rule.min_tier()));
  }
  return fmt::format("{}: virus score at least {}, share of virus chunks at least {}",
                     word_of(rule.name()), rule.min_score(), rule.min_share());
}

}  // namespace virnucpro
