#include "report/count_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace virnucpro {
namespace {

// The chance that a binomial count of `all` is at least `least`, summed term by term.
double chance_of_at_least(std::uint64_t least, std::uint64_t all, double share) {
  double chance = 0;
  for (std::uint64_t k = least; k <= all; ++k) {
    const auto count = static_cast<double>(k);
    const auto rest = static_cast<double>(all - k);
    chance += std::exp(std::lgamma(count + rest + 1) - std::lgamma(count + 1) -
                       std::lgamma(rest + 1) + count * std::log(share) + rest * std::log1p(-share));
  }
  return chance;
}

// The sample's share of all virus calls where its mean is `ratio` times the control's.
double share_at(double ratio, const ShareCount& sample, const ShareCount& control) {
  const double weight = ratio * static_cast<double>(sample.whole);
  return weight / (weight + static_cast<double>(control.whole));
}

TEST(CountRatio, EndsWhereTheCountsBecomeUnlikely) {
  constexpr double kTail = (1 - kRatioConfidence) / 2;
  for (const auto& [sample, control] : {std::pair{ShareCount{30, 1000}, ShareCount{10, 2000}},
                                        std::pair{ShareCount{3, 100'000}, ShareCount{400, 100'000}},
                                        std::pair{ShareCount{1, 10}, ShareCount{1, 1'000'000}}}) {
    const CountRatio found = ratio_of_shares(sample, control);
    const std::uint64_t all = sample.part + control.part;
    EXPECT_NEAR(chance_of_at_least(sample.part, all, share_at(found.least, sample, control)), kTail,
                1e-9);
    EXPECT_NEAR(1 - chance_of_at_least(sample.part + 1, all, share_at(found.most, sample, control)),
                kTail, 1e-9);
    EXPECT_LT(found.least, found.ratio);
    EXPECT_GT(found.most, found.ratio);
  }
  EXPECT_DOUBLE_EQ(ratio_of_shares({30, 1000}, {10, 2000}).ratio.value(), 6);
}

TEST(CountRatio, HasNoUpperLimitAboveAControlWithoutVirus) {
  const CountRatio found = ratio_of_shares({20, 1000}, {0, 1000});
  EXPECT_FALSE(found.ratio);
  EXPECT_GT(found.least, 1);
  EXPECT_TRUE(std::isinf(found.most));
  EXPECT_LT(ratio_of_shares({5, 1000}, {0, 1000}).least, 1);  // may be chance
  EXPECT_LT(ratio_of_shares({20, 1000}, {0, 10}).least, 1);   // such a control says little
}

TEST(CountRatio, IsNothingWhereTheSampleHasNone) {
  EXPECT_EQ(ratio_of_shares({0, 1000}, {5, 1000}).least, 0);
  const CountRatio neither = ratio_of_shares({0, 1000}, {0, 1000});
  EXPECT_EQ(neither.least, 0);
  EXPECT_TRUE(std::isinf(neither.most));
}

TEST(CountRatio, TakesCountsOfAnySize) {
  const CountRatio found = ratio_of_shares({3'000'000, 1'000'000'000}, {1'000'000, 1'000'000'000});
  EXPECT_NEAR(found.least, 3, 0.02);
  EXPECT_NEAR(found.most, 3, 0.02);
}

}  // namespace
}  // namespace virnucpro
