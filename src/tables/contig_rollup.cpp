#include "tables/contig_rollup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "tables/rounded_text.hpp"
#include "tables/score_text.hpp"

namespace virnucpro {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view one_step_lower(std::string_view tier) {
  return tier == kHighTier || tier == kModerateTier ? kLowTier : kReviewTier;
}

constexpr auto kIsGiven = [](const std::optional<double>& number) { return number.has_value(); };

}  // namespace

bool RollupChange::is_empty() const {
  return !min_chunks && std::ranges::none_of(numbers, kIsGiven);
}

RollupRule RollupChange::over(RollupRule rule) const {
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k]) rule.*kRollupNumbers[k].value = *numbers[k];
  }
  rule.min_chunks = min_chunks.value_or(rule.min_chunks);
  return rule;
}

std::string text_of(const RollupRule& rule) {
  std::string text(kRollupName);
  for (const RollupNumber& number : kRollupNumbers) {
    text += fmt::format(" {}", rule.*number.value);
  }
  return text + fmt::format(" {}", rule.min_chunks);
}

std::optional<RollupRule> parse_rollup(std::string_view text) {
  const auto words = split_list(text, ' ');
  if (words.size() != kRollupNumbers.size() + 2 || words.front() != kRollupName)
    return std::nullopt;
  RollupRule rule;
  for (std::size_t k = 0; k < kRollupNumbers.size(); ++k) {
    const std::optional<double> value = parse_number(words[k + 1]);
    if (!value) return std::nullopt;
    rule.*kRollupNumbers[k].value = *value;
  }
  const std::optional<std::uint64_t> chunks = parse_count(words.back());
  if (!chunks) return std::nullopt;
  rule.min_chunks = *chunks;
  return rule;
}

std::string_view short_tier(std::string_view tier) {
  return tier.substr(0, tier.find('_'));
}

std::string_view tier_named(std::string_view word) {
  const auto* const found = std::ranges::find(kTiers, word, short_tier);
  return found == kTiers.end() ? std::string_view() : *found;
}

bool reaches(std::string_view tier, std::string_view least) {
  return std::ranges::find(kTiers, tier) <= std::ranges::find(kTiers, least);
}

std::string columns_of(const ContigCall& found) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", found.call, found.tier,
                     numpy_rounded_text(found.weighted_delta), found.chunks, found.confident_viral,
                     found.confident_nonviral, found.ambiguous,
                     python_rounded_text(found.viral_proportion),
                     python_rounded_text(found.nonviral_proportion));
}

void ContigRollup::add(const ScorePair& chunk) {
  const double others = printed_score(chunk.others);
  const double virus = printed_score(chunk.virus);
  const double delta = virus - others;
  const double weight = std::sqrt(std::abs(delta));
  ++chunks_;
  deltas_ += delta;
  weighted_deltas_ += delta * weight;
  weights_ += weight;
  const auto is_confident = [this](double own, double other) {
    return own > rule_.min_confident_score && other < rule_.max_opposing_score;
  };
  if (is_confident(virus, others)) ++confident_viral_;
  if (is_confident(others, virus)) ++confident_nonviral_;
  if (virus > rule_.min_ambiguous_score && others > rule_.min_ambiguous_score) ++ambiguous_;
}

double ContigRollup::weighted_delta() const {
  return weights_ > 0 ? weighted_deltas_ / weights_ : deltas_ / static_cast<double>(chunks_);
}

std::string_view ContigRollup::tier(const ContigCall& found) const {
  if (found.call == kAmbiguousCall) return kReviewTier;
  const bool is_viral = found.call == kViralCall;
  const std::uint64_t confident = is_viral ? confident_viral_ : confident_nonviral_;
  const double proportion = is_viral ? found.viral_proportion : found.nonviral_proportion;
  const double least = is_viral ? rule_.min_viral_prop : rule_.min_nonviral_prop;
  std::string_view tier = kLowTier;
  if (confident >= 1 && proportion >= least) {
    const bool is_far = std::abs(found.weighted_delta) > rule_.high_confidence_delta;
    tier = is_far ? kHighTier : kModerateTier;
  }
  return chunks_ < rule_.min_chunks ? one_step_lower(tier) : tier;
}

ContigCall ContigRollup::result() const {
  return result(chunks_ > 0 && weighted_delta() > rule_.min_weighted_delta);
}

ContigCall ContigRollup::result_by(const std::optional<double>& cut_off) const {
  return result(chunks_ > 0 && cut_off && weighted_delta() >= *cut_off);
}

ContigCall ContigRollup::result(bool is_viral) const {
  ContigCall found{.call = kUnclassifiedCall, .tier = ""};
  if (chunks_ == 0) return found;
  const std::uint64_t effective = chunks_ - ambiguous_;
  found = {.call = kAmbiguousCall,
           .tier = "",
           .weighted_delta = weighted_delta(),
           .chunks = chunks_,
           .confident_viral = confident_viral_,
           .confident_nonviral = confident_nonviral_,
           .ambiguous = ambiguous_,
           .viral_proportion = share(confident_viral_, effective),
           .nonviral_proportion = share(confident_nonviral_, effective)};
  if (is_viral) found.call = kViralCall;
  if (!is_viral && found.weighted_delta < -rule_.min_weighted_delta) found.call = kNonviralCall;
  found.tier = tier(found);
  return found;
}

}  // namespace virnucpro
