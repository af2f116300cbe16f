#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "observe/statistic.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

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
