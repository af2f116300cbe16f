#include "weights/dtype.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace virnucpro {
namespace {

// value = (-1)^s · 2^(e - bias) · 1.m, as IEEE 754 defines it.
double defined_value(std::uint16_t bits, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  const int implied = exponent == 0 ? 0 : 1 << mantissa_bits;
  return sign * std::ldexp(mantissa + implied, std::max(exponent, 1) - bias - mantissa_bits);
}

void expect_widens_exactly(float (*widen)(std::uint16_t), int exponent_bits) {
  for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const double expected = defined_value(bits, exponent_bits);
    const float value = widen(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << pattern;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << pattern;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000U) != 0) << pattern;
  }
}

TEST(Half, EveryPatternIsWidenedExactly) {
  expect_widens_exactly(f16_to_f32, 5);
  expect_widens_exactly(bf16_to_f32, 8);
}

TEST(BFloat16, KeepsEveryPattern) {
  for (std::uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float value = bf16_to_f32(bits);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(value)))) << pattern;
    } else {
      ASSERT_EQ(f32_to_bf16(value), bits) << pattern;
    }
  }
}

// Between each value and the next: below, at and above the middle.
TEST(BFloat16, RoundsToNearestEven) {
  for (std::uint16_t bits = 0; bits < 0x7f7f; ++bits) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const double low = bf16_to_f32(bits);
    const double high = bf16_to_f32(next);
    const auto middle = static_cast<float>(low + (high - low) / 2);
    const std::uint16_t even = (bits & 1U) == 0 ? bits : next;
    ASSERT_EQ(f32_to_bf16(middle), even) << bits;
    ASSERT_EQ(f32_to_bf16(std::nextafter(middle, 0.0F)), bits) << bits;
    ASSERT_EQ(f32_to_bf16(std::nextafter(middle, std::numeric_limits<float>::infinity())), next)
        << bits;
    ASSERT_EQ(f32_to_bf16(-middle), even | 0x8000U) << bits;
  }
}

TEST(BFloat16, OverflowsToInfinity) {
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(BFloat16, ANanWithLowBitsOnlyStaysANan) {
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7f800001U)))));
}

TEST(DTypes, HaveTheirSizesAndNames) {
  EXPECT_EQ(size_of(DType::kF32), 4U);
  EXPECT_EQ(size_of(DType::kF16), 2U);
  EXPECT_EQ(size_of(DType::kBF16), 2U);
  EXPECT_EQ(size_of(DType::kF64), 8U);
  EXPECT_EQ(size_of(DType::kBool), 1U);
  EXPECT_EQ(name_of(DType::kBF16), "BF16");
  EXPECT_EQ(name_of(DType::kU8), "U8");
  EXPECT_EQ(name_of(DType::kBool), "BOOL");
}

}  // namespace
}  // namespace virnucpro
