#include "validate/measure/timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/error.hpp"

namespace virnucpro {
namespace {

TEST(TimeRepeats, WarmsUpAndRepeats) {
  int calls = 0;
  const std::vector<double> seconds = time_repeats(
      {.warm_ups = 2, .least_repeats = 5, .least_seconds = 0}, [&calls] { ++calls; }, Cancel());
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(seconds.size(), 5U);
}

TEST(TimeRepeats, GoesOnForTheTimeAskedFor) {
  const StopWatch watch;
  const std::vector<double> seconds = time_repeats(
      {.warm_ups = 0, .least_repeats = 1, .least_seconds = 0.05},
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }, Cancel());
  EXPECT_GE(watch.seconds(), 0.05);
  EXPECT_GT(seconds.size(), 3U);
}

TEST(TimeRepeats, TellsAKnownCostWithinFivePercent) {
  const std::vector<double> seconds = time_repeats(
      {.warm_ups = 1, .least_repeats = 3, .least_seconds = 0},
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }, Cancel());
  EXPECT_NEAR(*std::min_element(seconds.begin(), seconds.end()), 0.1, 0.005);
}

TEST(TimeRepeats, EndsWhenItIsCancelled) {
  Cancel cancel;
  EXPECT_THROW(time_repeats(
                   {.least_seconds = 60}, [&cancel] { cancel.request(SIGINT); }, cancel),
               Error);
}

}  // namespace
}  // namespace virnucpro
