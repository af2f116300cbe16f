#include "measure/timing/turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "base/time.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> sides_in_order(const Turns& turns) {
  std::vector<std::size_t> sides;
  take_turns(turns, [&sides](std::size_t side) { sides.push_back(side); });
  return sides;
}

// A run of `seconds` that computed `tokens` in half of its time.
Trial trial_of(double seconds, std::uint64_t tokens) {
  Trial trial{.end = {.seconds = seconds}};
  trial.telemetry.workload.esm_tokens = tokens;
  trial.telemetry.throughput.esm_tokens_per_second = 2 * static_cast<double>(tokens) / seconds;
  return trial;
}

TEST(TakeTurns, RunsEverySideInEveryTurn) {
  EXPECT_THAT(sides_in_order({.sides = 3, .repeats = 2}), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(sides_in_order({.sides = 1, .repeats = 2}), ElementsAre(0, 0));
  EXPECT_THAT(sides_in_order({.sides = 0, .repeats = 2}), ElementsAre());
}

TEST(TakeTurns, ReversesEverySecondTurn) {
  EXPECT_THAT(sides_in_order({.repeats = 3, .alternate = true}), ElementsAre(0, 1, 1, 0, 0, 1));
}

TEST(TrialsInTurns, KeepsTheRepeatsOfEachSide) {
  double seconds = 0;
  const auto sides = trials_in_turns({.repeats = 2}, [&](std::size_t side) {
    return trial_of(seconds += 1, side == 0 ? 100 : 300);
  });
  ASSERT_EQ(sides.size(), 2U);
  EXPECT_THAT(sides[0].seconds(), ElementsAre(1, 3));
  EXPECT_THAT(sides[1].seconds(), ElementsAre(2, 4));
  EXPECT_THAT(sides[1].esm_rates(), ElementsAre(300, 150));
  EXPECT_DOUBLE_EQ(sides[1].least_computing_seconds(), 1);
}

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
