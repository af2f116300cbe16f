#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/checked.hpp"
#include "base/hash.hpp"

namespace virnucpro {
namespace {

TEST(Crc32c, GivesTheKnownAnswers) {
  EXPECT_EQ(crc32c(as_bytes("")), 0U);
  EXPECT_EQ(crc32c(as_bytes("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\0'))), 0x8a9136aaU);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\xff'))), 0x62a8ab43U);
}

TEST(Crc32c, GoesOnFromAnEarlierOne) {
  const std::string text = "The quick brown fox jumps over the lazy dog, twice.";
  const std::uint32_t whole = crc32c(as_bytes(text));
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::uint32_t first = crc32c(as_bytes(text).first(cut));
    EXPECT_EQ(crc32c(as_bytes(text).subspan(cut), first), whole);
  }
}

TEST(Fnv1a, GivesTheKnownAnswers) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(SplitMix64, GivesTheKnownAnswers) {
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(splitmix64(kSplitMixStep), 0x6e789e6aa1b965f4U);
}

TEST(ContentHash, IsXxh3Of128Bits) {
  EXPECT_EQ(ContentHash().hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  const std::string text(1000, 'x');
  ContentHash whole;
  whole.update(as_bytes(text));
  ContentHash pieces;
  for (std::size_t i = 0; i < text.size(); i += 7) {
    pieces.update(as_bytes(std::string_view(text).substr(i, 7)));
  }
  EXPECT_EQ(whole.hex(), pieces.hex());
  EXPECT_EQ(whole.hex().size(), 32U);
}

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
