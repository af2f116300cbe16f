#include "run/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace virnucpro {
namespace {

// P(at most `above` of `frames`) with this chance each, term by term.
double chance_of_at_most(std::size_t above, std::size_t frames, double chance) {
  double sum = 0;
  const auto n = static_cast<double>(frames);
  for (std::size_t k = 0; k <= above; ++k) {
    const auto x = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                    x * std::log(chance) + (n - x) * std::log1p(-chance));
  }
  return sum;
}

TEST(Calibrate, TheChanceOfMoreIsAnUpperBoundWithConfidence) {
  EXPECT_NEAR(chance_of_more(300, 0), 1 - std::pow(0.05, 1.0 / 300), 1e-9);
  for (const std::size_t frames : {10U, 1000U, 100'000U}) {
    for (const std::size_t above : {0U, 1U, 5U}) {
      EXPECT_NEAR(chance_of_at_most(above, frames, chance_of_more(frames, above)), 1 - kConfidence,
                  1e-6)
          << frames << ' ' << above;
    }
  }
}

TEST(Calibrate, SomeErrorsMayBeAboveTheMarginWhereThereAreManyFrames) {
  EXPECT_EQ(allowed_above_margin(1), 0U);
  EXPECT_EQ(allowed_above_margin(30'000), 0U);
  EXPECT_LE(chance_of_more(30'000, 0), kFlipChance);
  EXPECT_GT(chance_of_more(29'000, 0), kFlipChance);
  for (const std::size_t frames : {50'000U, 100'000U, 1'000'000U}) {
    const std::size_t above = allowed_above_margin(frames);
    EXPECT_GT(above, 0U);
    EXPECT_LE(chance_of_more(frames, above), kFlipChance);
    EXPECT_GT(chance_of_more(frames, above + 1), kFlipChance);
  }
}

TEST(Calibrate, LeavesOutOneFrameOfAThousand) {
  std::vector<double> numbers(3999);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i * 1000 % 3999);
  EXPECT_EQ(largest_without_outliers(numbers), 3995);
  EXPECT_EQ(largest_without_outliers({2, 7, 3}), 7);
  EXPECT_EQ(CalibrationTarget().centred, 0.01);
  EXPECT_EQ(CalibrationTarget().equal_calls, 0.999);
}

TEST(Calibrate, TheTargetHasTwoParts) {
  const CalibrationTarget target{.centred = 0.01, .equal_calls = 0.999};
  EXPECT_TRUE((Closeness{.centred = 0.01, .equal_calls = 0.999}).reaches(target));
  EXPECT_FALSE((Closeness{.centred = 0.011, .equal_calls = 1}).reaches(target));
  EXPECT_FALSE((Closeness{.centred = 0, .equal_calls = 0.998}).reaches(target));
}

}  // namespace
}  // namespace virnucpro
