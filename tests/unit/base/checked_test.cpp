#include "base/checked.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace virnucpro {
namespace {

TEST(Checked, IsEmptyWhereTheResultDoesNotFit) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(checked_add<std::uint64_t>(kMax - 1, 1), kMax);
  EXPECT_FALSE(checked_add<std::uint64_t>(kMax, 1));
  EXPECT_EQ(checked_mul<std::uint64_t>(1ULL << 32U, (1ULL << 32U) - 1), kMax - 0xffffffffU);
  EXPECT_FALSE(checked_mul<std::uint64_t>(1ULL << 32U, 1ULL << 32U));
  EXPECT_FALSE(checked_mul<std::uint8_t>(16, 16));
}

TEST(Checked, RangesLieWithinOrNot) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(range_within<std::uint64_t>(0, 10, 10));
  EXPECT_TRUE(range_within<std::uint64_t>(10, 0, 10));
  EXPECT_FALSE(range_within<std::uint64_t>(11, 0, 10));
  EXPECT_FALSE(range_within<std::uint64_t>(1, 10, 10));
  EXPECT_FALSE(range_within<std::uint64_t>(5, kMax, 10));
}

TEST(Checked, NarrowsWhatFits) {
  EXPECT_EQ(narrow<std::uint8_t>(255), 255);
  EXPECT_FALSE(narrow<std::uint8_t>(256));
  EXPECT_FALSE(narrow<std::uint64_t>(-1));
  EXPECT_FALSE(narrow<std::int64_t>(std::numeric_limits<std::uint64_t>::max()));
}

}  // namespace
}  // namespace virnucpro
