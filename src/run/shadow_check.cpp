#include "run/shadow_check.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace virnucpro {
namespace {

// Strata begin at multiples of the margin, or of this many logits if the margin is smaller.
constexpr double kLeastUnit = 0.02;
constexpr double kTail = 0.025;  // probability on each side of the interval

std::size_t stratum_of(double distance, double margin) {
  std::size_t stratum = kShadowStrata - 1;
  while (stratum > 0 && distance < shadow_distance(stratum, margin)) --stratum;
  return stratum;
}

double gamma_quantile(double shape, double scale, double share) {
  return scale * boost::math::gamma_p_inv(shape, share);
}

// Returns a number from 0 (included) to 1 (excluded), with the 53 bits of a double.
double number_of(const Hash128& name) {
  return static_cast<double>(name.low >> 11U) * 0x1p-53;
}

}  // namespace

ShadowCheck::ShadowCheck(double share, double margin, ShadowCounters& counters)
    : share_(share), margin_(margin), counters_(counters) {}

bool ShadowCheck::may_choose(const Hash128& name) const {
  return number_of(name) < shadow_chance(0, share_);
}

std::size_t ShadowCheck::choose(double distance, const Hash128& name) {
  const std::size_t stratum = stratum_of(distance, margin_);
  counters_.strata.at(stratum).chunks.add();
  return number_of(name) < shadow_chance(stratum, share_) ? stratum : kNone;
}

void ShadowCheck::record(std::size_t stratum, bool changed, std::span<const double> coarse,
                         std::span<const double> fine) {
  ShadowCounters::Stratum& counted = counters_.strata.at(stratum);
  counted.sampled.add();
  if (changed) counted.changed.add();
  for (std::size_t i = 0; i < coarse.size(); ++i) counters_.logits.add(coarse[i] - fine[i]);
}

double shadow_distance(std::size_t stratum, double margin) {
  return kShadowRule.at(stratum).from * std::max(margin, kLeastUnit);
}

double shadow_chance(std::size_t stratum, double share) {
  return std::min(1.0, kShadowRule.at(stratum).factor * share);
}

ShadowEstimate shadow_estimate(const ShadowCounters& counters, double share) {
  ShadowEstimate estimate;
  double known = 0;    // changed calls of strata that were compared completely
  double counted = 0;  // changed calls in the other strata's samples
  double open = 0;     // chunks of the other strata that were not compared
  double sum = 0;      // sum of the changed calls' weights
  double variance = 0;
  double most = 0;  // the largest weight
  for (std::size_t k = 0; k < kShadowStrata; ++k) {
    const ShadowCounters::Stratum& stratum = counters.strata.at(k);
    estimate.chunks += stratum.chunks.get();
    estimate.sampled += stratum.sampled.get();
    const auto changed = static_cast<double>(stratum.changed.get());
    const double weight = 1 / shadow_chance(k, share);
    if (weight == 1) {
      known += changed;
    } else if (stratum.chunks.get() > 0) {
      counted += changed;
      open += static_cast<double>(stratum.chunks.get() - stratum.sampled.get());
      sum += weight * changed;
      variance += weight * weight * changed;
      most = std::max(most, weight);
    }
  }
  const double least = known + counted;
  const double largest = least + open;
  estimate.changed = std::min(known + sum, largest);
  estimate.low = least;
  estimate.high = least;
  if (most == 0) return estimate;
  if (sum > 0) {
    const double scale = variance / sum;
    estimate.low = std::max(least, known + gamma_quantile(sum / scale, scale, kTail));
  }
  const double scale = (variance + most * most) / (sum + most);
  const double high = known + gamma_quantile((sum + most) / scale, scale, 1 - kTail);
  estimate.low = std::min(estimate.low, largest);
  estimate.high = std::clamp(high, least, largest);
  return estimate;
}

}  // namespace virnucpro
