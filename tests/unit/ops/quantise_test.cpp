#include "ops/quantise.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ops/panels.hpp"

namespace virnucpro {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Quantised {
  std::vector<std::int8_t> codes;
  float scale = 0;
};

Quantised quantised(const std::vector<float>& numbers) {
  Quantised result{std::vector<std::int8_t>(numbers.size(), 99)};
  result.scale = quantise_row(numbers, result.codes);
  return result;
}

std::vector<float> normal_numbers(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float& number : numbers) number = normal(random);
  return numbers;
}

TEST(Quantise, RoundsToNearestEvenAndClipsNothing) {
  const Quantised result = quantised({-127.0F, 0.5F, 1.5F, 2.5F, -0.5F, 126.5F, 3.4F});
  EXPECT_THAT(result.codes, ElementsAre(-127, 0, 2, 2, 0, 126, 3));
  EXPECT_EQ(result.scale, 1.0F);
}

TEST(Quantise, LeavesAtMostHalfAStep) {
  for (const std::size_t count : {1U, 7U, 16U, 33U, 320U, 5120U}) {
    const std::vector<float> numbers = normal_numbers(count);
    const Quantised result = quantised(numbers);
    std::int8_t largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double left = static_cast<double>(numbers[i]) -
                          static_cast<double>(result.scale) * static_cast<double>(result.codes[i]);
      ASSERT_LE(std::abs(left), static_cast<double>(result.scale) * 0.5001);
      largest = std::max<std::int8_t>(largest, static_cast<std::int8_t>(std::abs(result.codes[i])));
    }
    EXPECT_EQ(largest, 127);
  }
}

// Whatever the order and number of its numbers, nothing but the largest decides the scale.
TEST(Quantise, FindsTheLargestAnywhere) {
  for (std::size_t at = 0; at < 100; ++at) {
    std::vector<float> numbers(100, 0.25F);
    numbers[at] = at % 2 == 0 ? 254.0F : -254.0F;
    EXPECT_EQ(quantised(numbers).scale, 2.0F) << at;
  }
}

TEST(Quantise, SpoilsTheWholeRowOfANumberThatIsNotFinite) {
  for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
    const Quantised result = quantised({1.0F, bad, 1e30F});
    EXPECT_TRUE(std::isnan(result.scale));
    EXPECT_THAT(result.codes, Each(0));
  }
}

TEST(Quantise, TakesRowsOfZerosAndOfHardlyMoreForZeros) {
  for (const float small : {0.0F, -0.0F, 1e-44F, -3e-37F}) {
    const Quantised result = quantised({small, 0.0F, small});
    EXPECT_EQ(result.scale, 0.0F);
    EXPECT_THAT(result.codes, Each(0));
  }
  EXPECT_THAT(quantised({4e-37F, 0.0F}).codes, ElementsAre(127, 0));
  EXPECT_THAT(quantised({std::numeric_limits<float>::max(), 0.0F}).codes, ElementsAre(127, 0));
}

TEST(Quantise, RestHasTheNext8Bits) {
  const std::vector<float> numbers = normal_numbers(1000);
  const Quantised result = quantised(numbers);
  std::vector<std::int8_t> rest(numbers.size());
  quantise_rest(numbers, result.scale, result.codes, rest);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double both = static_cast<double>(result.codes[i]) + rest[i] / 254.0;
    ASSERT_NEAR(both * static_cast<double>(result.scale), static_cast<double>(numbers[i]),
                static_cast<double>(result.scale) / 500);
  }
  std::vector<std::int8_t> none(3, 99);
  quantise_rest(std::vector<float>(3, 0.0F), 0.0F, std::vector<std::int8_t>(3, 0), none);
  EXPECT_THAT(none, Each(0));
}

TEST(RotateBlocks, IsTheHadamardMatrix) {
  for (unsigned column = 0; column < 8; ++column) {
    std::vector<float> numbers(16, 0.0F);
    numbers[8 + column] = 1.0F;
    rotate_blocks(numbers);
    for (unsigned i = 0; i < 8; ++i) {
      const bool negative = __builtin_parity(i & column) != 0;
      EXPECT_EQ(numbers[i], 0.0F);
      EXPECT_EQ(numbers[8 + i], negative ? -0.35355339F : 0.35355339F);
    }
  }
}

TEST(RotateBlocks, IsItsOwnInverse) {
  const std::vector<float> before = normal_numbers(64);
  std::vector<float> numbers = before;
  rotate_blocks(numbers);
  rotate_blocks(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], before[i], 1e-6);
}

TEST(RotateBlocks, HasTheBitsOfTheStepsOneByOne) {
  std::vector<float> expected = normal_numbers(64);
  std::vector<float> numbers = expected;
  rotate_blocks(numbers);
  for (std::size_t first = 0; first < expected.size(); first += 8) {
    for (std::size_t distance = 1; distance < 8; distance *= 2) {
      for (std::size_t i = first; i < first + 8; ++i) {
        if (((i - first) & distance) != 0) continue;
        const float other = expected[i + distance];
        expected[i + distance] = expected[i] - other;
        expected[i] += other;
      }
    }
    for (std::size_t i = first; i < first + 8; ++i) expected[i] *= 0.35355339F;
  }
  EXPECT_EQ(numbers, expected);
}

struct QuantiseRows : testing::TestWithParam<Blocks> {};
INSTANTIATE_TEST_SUITE_P(Blocks, QuantiseRows, testing::Values(Blocks::kPlain, Blocks::kRotated));

TEST_P(QuantiseRows, QuantisesEachRowAsIfAlone) {
  ThreadPool pool(3);
  const Cancel cancel;
  OpContext context{pool, cancel};
  Panels in(400, 72);
  const std::vector<float> numbers = normal_numbers(in.values().size());
  std::copy(numbers.begin(), numbers.end(), in.values().begin());
  Codes out(Purpose::kActivations, 400, 72);
  quantise_rows(context, in, GetParam(), out);
  for (std::size_t i = 0; i < in.rows(); ++i) {
    std::vector<float> row(in.row(i), in.row(i) + in.width());
    if (GetParam() == Blocks::kRotated) rotate_blocks(row);
    const Quantised alone = quantised(row);
    ASSERT_EQ(out.scales()[i], alone.scale);
    ASSERT_TRUE(std::equal(alone.codes.begin(), alone.codes.end(), out.row(i).begin())) << i;
  }
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), in.values().begin()));
}

}  // namespace
}  // namespace virnucpro
