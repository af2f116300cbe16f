#include "measure/timing/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace virnucpro {
namespace {

TEST(SpreadOf, TakesQuartilesBetweenNeighbours) {
  const Spread spread = spread_of({4, 1, 3, 2});
  EXPECT_EQ(spread.count, 4U);
  EXPECT_DOUBLE_EQ(spread.median, 2.5);
  EXPECT_DOUBLE_EQ(spread.low_quartile, 1.75);
  EXPECT_DOUBLE_EQ(spread.high_quartile, 3.25);
  EXPECT_DOUBLE_EQ(spread.interquartile_range(), 1.5);
  EXPECT_DOUBLE_EQ(spread.least, 1);
  EXPECT_DOUBLE_EQ(spread.most, 4);
  EXPECT_EQ(spread.outliers, 0U);
}

TEST(SpreadOf, CountsOutliersBeyondTheFences) {
  EXPECT_EQ(spread_of({1, 2, 3, 4, 5, 100}).outliers, 1U);
  EXPECT_EQ(spread_of({-90, 1, 2, 3, 4, 5, 100}).outliers, 2U);
}

TEST(SpreadOf, OfOneValueIsThatValue) {
  const Spread spread = spread_of({7});
  EXPECT_DOUBLE_EQ(spread.median, 7);
  EXPECT_DOUBLE_EQ(spread.interquartile_range(), 0);
}

TEST(RatioOf, IsThatOfGeometricMeans) {
  const Estimate ratio = ratio_of({2, 8}, {1, 4});
  EXPECT_DOUBLE_EQ(ratio.value, 2);
  ASSERT_TRUE(ratio.low && ratio.high);
  EXPECT_LT(*ratio.low, 2);
  EXPECT_GT(*ratio.high, 2);
}

TEST(RatioOf, HasNoBoundsOfASingleRepeat) {
  const Estimate ratio = ratio_of({3}, {2, 2});
  EXPECT_DOUBLE_EQ(ratio.value, 1.5);
  EXPECT_FALSE(ratio.low);
  EXPECT_FALSE(ratio.high);
}

TEST(RatioOf, IsCertainWhereRepeatsDoNotDiffer) {
  const Estimate ratio = ratio_of({3, 3}, {2, 2});
  EXPECT_DOUBLE_EQ(*ratio.low, 1.5);
  EXPECT_DOUBLE_EQ(*ratio.high, 1.5);
}

// In about 95 of 100 experiments with known noise the interval contains the true value.
TEST(RatioOf, HoldsTheTruthAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  int held = 0;
  constexpr int kExperiments = 1000;
  for (int k = 0; k < kExperiments; ++k) {
    std::vector<double> a;
    std::vector<double> b;
    for (int repeat = 0; repeat < 5; ++repeat) {
      a.push_back(2 * std::exp(noise(random)));
      b.push_back(std::exp(noise(random)));
    }
    const Estimate ratio = ratio_of(a, b);
    if (*ratio.low <= 2 && 2 <= *ratio.high) ++held;
  }
  EXPECT_GT(held, 925);
  EXPECT_LT(held, 985);
}

TEST(LinearFit, FindsALine) {
  const LinearFit fit({{1, 5}, {2, 7}, {3, 9}});
  EXPECT_NEAR(fit.intercept(), 3, 1e-12);
  EXPECT_NEAR(fit.slope(), 2, 1e-12);
  EXPECT_NEAR(fit.determination(), 1, 1e-12);
  EXPECT_NEAR(fit.at(10).value, 23, 1e-12);
  EXPECT_NEAR(*fit.at(10).low, 23, 1e-6);
}

TEST(LinearFit, IsLessSureFarAway) {
  const LinearFit fit({{1, 5.1}, {2, 6.9}, {3, 9.1}, {4, 10.9}});
  const auto width = [&fit](double x) { return *fit.at(x).high - *fit.at(x).low; };
  EXPECT_GT(width(100), 10 * width(2.5));
  EXPECT_LT(fit.determination(), 1);
}

TEST(LinearFit, HasNoBoundsOfTwoPoints) {
  EXPECT_FALSE(LinearFit({{1, 5}, {2, 7}}).at(3).low);
}

TEST(EstimateText, TellsBoundsWhereThereAreSome) {
  EXPECT_EQ(estimate_text({.value = 1.9}), "1.9");
  EXPECT_EQ(estimate_text({.value = 1.9, .low = 1.8, .high = 2.0}), "1.9 (1.8 to 2)");
}

}  // namespace
}  // namespace virnucpro
