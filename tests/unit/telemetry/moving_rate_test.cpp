#include "telemetry/moving_rate.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

// A batch of 10 every `seconds`; the rate is updated every second.
double run(MovingRate& rate, double begin, double end, double seconds, double count = 0) {
  double next = begin + seconds;
  for (double now = begin; now <= end; ++now) {
    for (; next <= now; next += seconds) count += 10;
    rate.add(now, count);
  }
  return count;
}

TEST(MovingRate, SaysNothingBeforeItCanBeMeasured) {
  MovingRate rate;
  EXPECT_FALSE(rate.per_second(100));
  rate.add(0, 0);
  rate.add(100, 50);
  EXPECT_FALSE(rate.per_second(100));
  rate.add(110, 60);
  EXPECT_FALSE(rate.per_second(110)) << "one pair of steps may be of any length";
  rate.add(120, 70);
  EXPECT_NEAR(*rate.per_second(120), 1, 1e-9);
}

TEST(MovingRate, LeavesTheWarmUpOut) {
  MovingRate rate;
  run(rate, 0, 60, 1e9);
  run(rate, 60, 100, 2);
  EXPECT_NEAR(*rate.per_second(100), 5, 1e-9);
}

TEST(MovingRate, IsThatOfLate) {
  MovingRate rate;
  const double count = run(rate, 0, 1000, 10);
  EXPECT_NEAR(*rate.per_second(1000), 1, 0.01);
  run(rate, 1001, 1100, 2, count);
  EXPECT_NEAR(*rate.per_second(1100), 5, 0.05);
}

TEST(MovingRate, IsSteadyBetweenSteps) {
  MovingRate rate;
  const double count = run(rate, 0, 1000, 100);
  for (double now = 1000; now < 1100; ++now) {
    rate.add(now, count);
    EXPECT_NEAR(*rate.per_second(now), 0.1, 1e-9) << now;
    EXPECT_NEAR(rate.since_step(now), now - 1000, 1e-9);
  }
}

TEST(MovingRate, FallsWhenAStepIsOverdue) {
  MovingRate rate;
  const double count = run(rate, 0, 100, 2);
  const double before = *rate.per_second(100);
  rate.add(400, count);
  EXPECT_LT(*rate.per_second(400), before / 4);
  EXPECT_GT(*rate.per_second(400), 0);
  EXPECT_NEAR(rate.since_step(400), 2, 1e-9) << "a countdown stands still";
}

TEST(MovingRate, BeginsAgainWithARunThatStartsOver) {
  MovingRate rate;
  run(rate, 0, 100, 2);
  rate.add(101, 0);
  EXPECT_FALSE(rate.per_second(101));
  run(rate, 101, 200, 10);
  EXPECT_NEAR(*rate.per_second(200), 1, 0.01);
}

}  // namespace
}  // namespace virnucpro
