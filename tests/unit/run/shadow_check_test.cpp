#include "run/shadow_check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "base/hash.hpp"

namespace virnucpro {
namespace {

constexpr double kMargin = 0.1;

Hash128 hash_number(std::uint64_t number) {
  return {.low = splitmix64(number), .high = 0};
}

TEST(ShadowCheck, TakesTheShareOfEachStratum) {
  ShadowCounters counters;
  ShadowCheck check(0.002, kMargin, counters);
  std::array<std::size_t, kShadowStrata> chosen{};
  constexpr std::uint64_t kChunks = 200'000;
  const std::array distances{0.15, 0.3, 0.7, 5.0};
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    for (std::size_t k = 0; k < kShadowStrata; ++k) {
      const std::size_t stratum = check.choose(distances.at(k), hash_number(i));
      if (stratum == ShadowCheck::kNone) continue;
      EXPECT_EQ(stratum, k);
      ++chosen.at(k);
    }
  }
  for (std::size_t k = 0; k < kShadowStrata; ++k) {
    EXPECT_EQ(counters.strata.at(k).chunks.get(), kChunks);
    const double wanted = shadow_chance(k, 0.002) * static_cast<double>(kChunks);
    EXPECT_NEAR(static_cast<double>(chosen.at(k)), wanted, 5 * std::sqrt(wanted)) << k;
  }
  EXPECT_EQ(shadow_chance(0, 0.5), 1);
}

// Each of them, by a hash of its own: so copies of one read say what they say.
TEST(ShadowCheck, NeverSaysMoreThanTheCountsLeavePossible) {
  ShadowCounters counters;
  counters.strata[0].chunks.add(10);
  counters.strata[0].sampled.add(10);
  counters.strata[0].changed.add(3);
  ShadowEstimate estimate = shadow_estimate(counters, 0.5);  // all of this one
  EXPECT_EQ(estimate.low, 3);
  EXPECT_EQ(estimate.changed, 3);
  EXPECT_EQ(estimate.high, 3);
  counters.strata[3].chunks.add(12);
  counters.strata[3].sampled.add(2);
  counters.strata[3].changed.add(2);
  estimate = shadow_estimate(counters, kLeastShadow);
  EXPECT_EQ(estimate.high, 15);
  estimate = shadow_estimate(counters, 0.5);
  EXPECT_GE(estimate.low, 5);
  EXPECT_LE(estimate.high, 15);
  EXPECT_EQ(estimate.changed, 7);
}

TEST(ShadowCheck, DependsOnTheHashAlone) {
  ShadowCounters counters;
  ShadowCheck check(0.01, kMargin, counters);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(check.choose(0.3, hash_number(i)), check.choose(0.35, hash_number(i)));
  }
}

// The interval is for weighted Poisson counts. With one weight it is the exact interval of a
// Poisson mean (Garwood 1936, Biometrika 28:437): 0 to 3.689 for none, 1.623 to 10.242 for 5.
TEST(ShadowCheck, HasThePoissonIntervalWhereAllHaveOneWeight) {
  ShadowCounters counters;
  counters.strata[3].chunks.add(100'000);
  counters.strata[3].sampled.add(1000);
  ShadowEstimate estimate = shadow_estimate(counters, 0.01);
  EXPECT_EQ(estimate.changed, 0);
  EXPECT_EQ(estimate.low, 0);
  EXPECT_NEAR(estimate.high, 368.9, 0.1);
  counters.strata[3].changed.add(5);
  estimate = shadow_estimate(counters, 0.01);
  EXPECT_NEAR(estimate.changed, 500, 1e-9);
  EXPECT_NEAR(estimate.low, 162.3, 0.1);
  EXPECT_NEAR(estimate.high, 1166.8, 0.1);
  EXPECT_EQ(shadow_estimate({}, 0.01).high, 0);
}

// Chunks of one frame, whose errors are larger than the margin says.
TEST(ShadowCheck, HasTheTrueNumberInItsIntervalForNearlyEverySeed) {
  constexpr std::uint64_t kChunks = 50'000;
  std::mt19937 random(7);
  std::normal_distribution<double> logit(0, 2);
  std::student_t_distribution<double> error(3);
  std::vector<double> coarse;
  std::vector<double> fine;
  double changed = 0;
  while (coarse.size() < kChunks) {
    const double x = logit(random);
    if (std::abs(x) <= kMargin) continue;
    coarse.push_back(x);
    fine.push_back(x + 0.08 * error(random));
    changed += (coarse.back() < 0) != (fine.back() < 0) ? 1 : 0;
  }
  ASSERT_GT(changed, 100);
  int right = 0;
  double sum = 0;
  constexpr int kSeeds = 100;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ShadowCounters counters;
    ShadowCheck check(0.005, kMargin, counters);
    for (std::size_t i = 0; i < kChunks; ++i) {
      const std::size_t stratum = check.choose(std::abs(coarse[i]), hash_number(seed << 32U | i));
      if (stratum == ShadowCheck::kNone) continue;
      check.record(stratum, (coarse[i] < 0) != (fine[i] < 0), {&coarse[i], 1}, {&fine[i], 1});
    }
    const ShadowEstimate estimate = shadow_estimate(counters, 0.005);
    sum += estimate.changed;
    right += estimate.low <= changed && changed <= estimate.high ? 1 : 0;
  }
  EXPECT_GE(right, 95);
  EXPECT_NEAR(sum / kSeeds, changed, 0.1 * changed) << "it has no bias";
}

}  // namespace
}  // namespace virnucpro
