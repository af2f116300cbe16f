#include "validate/timer.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/error.hpp"

namespace virnucpro {
namespace {

TEST(TimeRepeats, WarmsUpAndRepeats) {
  int calls = 0;
  const Timing timing = time_repeats(
      {.warm_ups = 2, .least_repeats = 5, .least_seconds = 0},
      [&calls]() -> std::optional<double> {
        ++calls;
        return std::nullopt;
      },
      Cancel());
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(timing.host.size(), 5U);
  EXPECT_TRUE(timing.device.empty());
}

TEST(TimeRepeats, GoesOnForTheTimeAskedFor) {
  const StopWatch watch;
  const Timing timing = time_repeats(
      {.warm_ups = 0, .least_repeats = 1, .least_seconds = 0.05},
      []() -> std::optional<double> {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return std::nullopt;
      },
      Cancel());
  EXPECT_GE(watch.seconds(), 0.05);
  EXPECT_GT(timing.host.size(), 3U);
}

// A device whose cost is known is told as it says, whatever the host does meanwhile.
TEST(TimeRepeats, KeepsWhatADeviceMeasured) {
  const Timing timing = time_repeats(
      {.least_repeats = 3, .least_seconds = 0}, [] { return std::optional<double>(0.25); },
      Cancel());
  EXPECT_EQ(timing.device, std::vector<double>(3, 0.25));
}

TEST(TimeRepeats, TellsAKnownCostWithinFivePercent) {
  const Timing timing = time_repeats(
      {.warm_ups = 1, .least_repeats = 3, .least_seconds = 0},
      []() -> std::optional<double> {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return std::nullopt;
      },
      Cancel());
  EXPECT_NEAR(*std::min_element(timing.host.begin(), timing.host.end()), 0.1, 0.005);
}

TEST(TimeRepeats, EndsWhenItIsCancelled) {
  Cancel cancel;
  EXPECT_THROW(time_repeats(
                   {.least_seconds = 60},
                   [&cancel]() -> std::optional<double> {
                     cancel.request(SIGINT);
                     return std::nullopt;
                   },
                   cancel),
               Error);
}

}  // namespace
}  // namespace virnucpro
