#include "observe/statistic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

Statistic of(std::initializer_list<double> values) {
  Statistic statistic;
  for (const double value : values) statistic.add(value);
  return statistic;
}

TEST(Statistic, KnowsMeanAndExtremes) {
  const Statistic statistic = of({3, -1, 10});
  EXPECT_EQ(statistic.samples, 3U);
  EXPECT_DOUBLE_EQ(statistic.average, 4);
  EXPECT_EQ(statistic.minimum, -1);
  EXPECT_EQ(statistic.maximum, 10);
}

TEST(Statistic, KeepsTheMeanOfManyLargeValues) {
  Statistic statistic;
  constexpr double kLarge = 1e15;
  for (int i = 0; i < 100000; ++i) statistic.add(kLarge + i % 2);
  EXPECT_NEAR(statistic.average, kLarge + 0.5, 0.26);
}

TEST(Statistic, CombinesAsIfAllValuesWereOnes) {
  const Statistic both = combined(of({3, -1}), of({10}));
  EXPECT_EQ(both.samples, 3U);
  EXPECT_DOUBLE_EQ(both.average, 4);
  EXPECT_EQ(both.minimum, -1);
  EXPECT_EQ(both.maximum, 10);
}

TEST(Statistic, OfNothingChangesNothing) {
  EXPECT_EQ(combined({}, of({5})).minimum, 5);
  EXPECT_EQ(combined(of({5}), {}).minimum, 5);
  EXPECT_EQ(combined(Statistic{}, {}).samples, 0U);
  EXPECT_EQ(of({-5}).maximum, -5);
}

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

TEST(RateSeries, CountsBySeconds) {
  RateSeries series(4);
  series.add(0, 1);
  series.add(0.99, 2);
  series.add(2.5, 4);
  EXPECT_EQ(series.interval(), 1);
  EXPECT_THAT(series.amounts(), ElementsAre(3, 0, 4));
}

TEST(RateSeries, JoinsStretchesWhenItIsOutgrown) {
  RateSeries series(4);
  for (int second = 0; second < 4; ++second) series.add(second, 1U << second);
  series.add(4, 16);
  EXPECT_EQ(series.interval(), 2);
  EXPECT_THAT(series.amounts(), ElementsAre(3, 12, 16));
  series.add(1000, 32);
  EXPECT_EQ(series.interval(), 256);
  EXPECT_THAT(series.amounts(), ElementsAre(31, 0, 0, 32));
}

TEST(RateSeries, KeepsItsSizeAndItsSum) {
  RateSeries series;
  for (int second = 0; second < 100'000; second += 7) series.add(second, 3);
  EXPECT_LE(series.amounts().size(), 512U);
  EXPECT_EQ(std::accumulate(series.amounts().begin(), series.amounts().end(), 0U), 3U * 14'286U);
}

}  // namespace
}  // namespace virnucpro
