#include "weights/rotation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace virnucpro {
namespace {

std::vector<double> random_vector(std::size_t width, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> values(width);
  for (double& value : values) value = uniform(random);
  return values;
}

std::vector<double> unit_vector(std::size_t width, std::size_t index) {
  std::vector<double> values(width, 0.0);
  values[index] = 1.0;
  return values;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

std::vector<double> rotated(const Rotation& rotation, std::vector<double> values) {
  rotation.apply(values);
  return values;
}

// Widths of ESM-2, an odd one, and a power of two beyond the largest Hadamard matrix.
struct Rotations : testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Widths, Rotations,
                         testing::Values(1U, 2U, 35U, 40U, 320U, 480U, 2048U, 2560U));

TEST_P(Rotations, AreOrthogonal) {
  const std::size_t width = GetParam();
  const Rotation rotation(width);
  ASSERT_EQ(rotation.width(), width);
  const auto a = random_vector(width, 1);
  const auto b = random_vector(width, 2);
  EXPECT_NEAR(dot(rotated(rotation, a), rotated(rotation, b)), dot(a, b), 1e-11);
  for (const std::size_t i : {std::size_t{0}, width / 2, width - 1}) {
    const auto column = rotated(rotation, unit_vector(width, i));
    EXPECT_NEAR(dot(column, column), 1.0, 1e-13);
  }
}

TEST_P(Rotations, AreUndoneByTheirTransposed) {
  const Rotation rotation(GetParam());
  const auto before = random_vector(GetParam());
  auto values = rotated(rotation, before);
  rotation.apply_transposed(values);
  EXPECT_LT(largest_difference(values, before), 1e-13);
}

TEST_P(Rotations, DoTheSameToVectorsSideBySide) {
  const std::size_t width = GetParam();
  const Rotation rotation(width);
  constexpr std::size_t kLanes = 3;
  std::vector<double> together(width * kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const auto vector = random_vector(width, static_cast<unsigned>(lane));
    for (std::size_t i = 0; i < width; ++i) together[i * kLanes + lane] = vector[i];
  }
  rotation.apply(together, kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const auto alone = rotated(rotation, random_vector(width, static_cast<unsigned>(lane)));
    for (std::size_t i = 0; i < width; ++i) ASSERT_EQ(together[i * kLanes + lane], alone[i]);
  }
}

// A single large channel becomes numbers of nearly one size: 1 is as flat as can be.
TEST(Rotation, SpreadsEachChannelOfThePublishedWidths) {
  for (const std::size_t width : {320U, 480U, 640U, 1280U, 2560U, 5120U}) {
    const Rotation rotation(width);
    double largest = 0;
    for (std::size_t i = 0; i < width; i += 7) {
      const auto column = rotated(rotation, unit_vector(width, i));
      for (const double value : column) largest = std::max(largest, std::abs(value));
    }
    EXPECT_LT(largest * std::sqrt(static_cast<double>(width)), width == 480 ? 2.5 : 1.5) << width;
  }
}

// A model that was measured must be the same model elsewhere.
TEST(Rotation, IsTheSameMatrixOnEveryMachine) {
  const auto column = rotated(Rotation(320), unit_vector(320, 3));
  EXPECT_EQ(column[0], -0x1.485cb543c9dp-4);
  EXPECT_EQ(column[100], 0x1.5f61069611ab4p-5);
  EXPECT_EQ(column[319], 0x1.16b7df1bdcab5p-4);
}

TEST(Rotation, OfHeadsStaysWithinEachHead) {
  // 24 = 3 · 8: three Hadamard matrices a head.
  const Rotation rotation = Rotation::of_heads(72, 24);
  const auto column = rotated(rotation, unit_vector(72, 24 + 9));
  for (std::size_t i = 0; i < 72; ++i) {
    const bool inside = i >= 24 + 8 && i < 24 + 16;
    EXPECT_NEAR(std::abs(column[i]), inside ? std::sqrt(0.125) : 0.0, 1e-15) << i;
  }
  auto back = column;
  rotation.apply_transposed(back);
  EXPECT_LT(largest_difference(back, unit_vector(72, 24 + 9)), 1e-15);
}

}  // namespace
}  // namespace virnucpro
