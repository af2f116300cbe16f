#include "tables/call_rule.hpp"

#include <fmt/format.h>

#include <cmath>

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

}  // namespace

CallRule::CallRule(double min_score, double min_share)
    : min_score_(min_score), min_share_(min_share), least_score_(least_score_for(min_score)) {}

CallRule CallRuleChange::over(const CallRule& rule) const {
  return {min_score.value_or(rule.min_score()), min_share.value_or(rule.min_share())};
}

std::string text_of(const CallRule& rule) {
  return fmt::format("virus score at least {}, share of virus chunks at least {}", rule.min_score(),
                     rule.min_share());
}

}  // namespace virnucpro
