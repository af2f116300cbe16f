#include "telemetry/time_bins.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace virnucpro {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

TEST(TimeBins, GiveMeansMaximaAndRates) {
  TimeBins bins;
  bins.add(0.1, 2);
  bins.add(0.2, 4);
  bins.add(1.4, 7);
  ASSERT_EQ(bins.means().size(), 2U);
  EXPECT_EQ(bins.means()[0].x, 0.25);
  EXPECT_EQ(bins.means()[0].y, 3);
  EXPECT_EQ(bins.maxima()[0].y, 4);
  EXPECT_EQ(bins.maxima()[1].x, 1.25);
  ASSERT_EQ(bins.rates().size(), 3U);
  EXPECT_EQ(bins.rates()[0].y, 12);  // per second, over half a second
  EXPECT_EQ(bins.rates()[1].y, 0);
}

TEST(TimeBins, AreNeverMoreThanSomeAndLoseNothing) {
  TimeBins bins;
  for (int second = 0; second < 100'000; ++second) bins.add(second, second == 77'000 ? 9 : 1);
  EXPECT_LE(bins.means().size(), TimeBins::kMost);
  EXPECT_GE(bins.means().size(), TimeBins::kMost / 2);
  double most = 0;
  for (const PlotPoint& point : bins.maxima()) most = std::max(most, point.y);
  EXPECT_EQ(most, 9);
}

TEST(TimeBins, SpreadWhatTookTime) {
  TimeBins bins;
  bins.spread(0.25, 1.25, 100);
  const auto rates = bins.rates();
  ASSERT_EQ(rates.size(), 3U);
  EXPECT_NEAR(rates[0].y, 50, 1e-9);
  EXPECT_NEAR(rates[1].y, 100, 1e-9);
  EXPECT_NEAR(rates[2].y, 100, 1e-9);  // over the quarter second covered
  bins.spread(-5, 0.5, 10);            // began before the run
  EXPECT_NEAR(bins.rates()[0].y, 70, 1e-9);
}

TEST(TimeBins, EndWithWhatWasDone) {
  TimeBins bins;
  bins.spread(0, 1, 10);
  ASSERT_EQ(bins.rates().size(), 2U);
  EXPECT_NEAR(bins.rates().back().y, 10, 1e-9);
}

TEST(TimeBins, LeaveOutWhatIsNoTimeOrNoNumber) {
  TimeBins bins;
  for (const double wrong : {kNotANumber, kEndless, -1.0, 1e300}) {
    bins.add(wrong, 1);
    bins.spread(0, wrong, 1);
  }
  bins.add(1, kNotANumber);
  bins.spread(0, 1, kEndless);
  bins.spread(kNotANumber, 1, 1);
  EXPECT_TRUE(bins.means().empty());
  EXPECT_TRUE(bins.rates().empty());
  bins.spread(0, TimeBins::kLongestRun, 1);
  EXPECT_LE(bins.rates().size(), TimeBins::kMost);
}

}  // namespace
}  // namespace virnucpro
