#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "observe/statistic.hpp"

namespace virnucpro {
namespace {

TEST(QuantileSketch, IsWithinOnePercentOfTheSortedValues) {
  std::mt19937_64 random(4);
  std::lognormal_distribution<double> durations(-4, 3);  // microseconds to minutes
  QuantileSketch sketch;
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(durations(random));
    sketch.add(values.back());
  }
  std::ranges::sort(values);
  for (const double share : {0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1.0}) {
    const auto place = static_cast<std::size_t>(std::ceil(share * 20'000)) - 1;
    EXPECT_NEAR(sketch.quantile(share) / values[place], 1, 0.0101) << share;
  }
  EXPECT_EQ(sketch.count(), 20'000U);
  EXPECT_EQ(sketch.max(), values.back());
}

TEST(QuantileSketch, OfNothingIsZero) {
  const QuantileSketch sketch;
  EXPECT_EQ(sketch.quantile(0.5), 0);
  EXPECT_EQ(sketch.mean(), 0);
  EXPECT_EQ(sketch.max(), 0);
}

TEST(QuantileSketch, TakesWhatIsTooSmallAndTooLarge) {
  QuantileSketch sketch;
  for (const double seconds : {0.0, 1e-9, 1e9}) sketch.add(seconds);
  EXPECT_EQ(sketch.quantile(0.5), 0);
  EXPECT_NEAR(sketch.quantile(1) / 1e6, 1, 0.01);
  EXPECT_EQ(sketch.max(), 1e9);
  EXPECT_NEAR(sketch.mean(), 1e9 / 3, 1);
}

}  // namespace
}  // namespace virnucpro
