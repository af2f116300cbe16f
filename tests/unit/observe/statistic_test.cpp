#include "observe/statistic.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

Statistic of(std::initializer_list<double> values) {
  Statistic statistic;
  for (const double value : values) statistic.add(value);
  return statistic;
}

TEST(Statistic, KnowsMeanAndExtremes) {
  const Statistic statistic = of({3, -1, 10});
  EXPECT_EQ(statistic.count, 3U);
  EXPECT_DOUBLE_EQ(statistic.mean, 4);
  EXPECT_EQ(statistic.min, -1);
  EXPECT_EQ(statistic.max, 10);
}

TEST(Statistic, KeepsTheMeanOfManyLargeValues) {
  Statistic statistic;
  constexpr double kLarge = 1e15;
  for (int i = 0; i < 100000; ++i) statistic.add(kLarge + i % 2);
  EXPECT_NEAR(statistic.mean, kLarge + 0.5, 0.26);
}

TEST(Statistic, CombinesAsIfAllValuesWereOnes) {
  const Statistic both = combined(of({3, -1}), of({10}));
  EXPECT_EQ(both.count, 3U);
  EXPECT_DOUBLE_EQ(both.mean, 4);
  EXPECT_EQ(both.min, -1);
  EXPECT_EQ(both.max, 10);
}

TEST(Statistic, OfNothingChangesNothing) {
  EXPECT_EQ(combined({}, of({5})).min, 5);
  EXPECT_EQ(combined(of({5}), {}).min, 5);
  EXPECT_EQ(combined(Statistic{}, {}).count, 0U);
  EXPECT_EQ(of({-5}).max, -5);
}

}  // namespace
}  // namespace virnucpro
