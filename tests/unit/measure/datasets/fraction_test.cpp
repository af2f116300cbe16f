#include "measure/datasets/fraction.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace virnucpro {
namespace {

TEST(Fraction, ReadsShares) {
  const auto is = [](std::string_view text, std::uint32_t numerator, std::uint32_t denominator) {
    const Fraction share = parse_share(text, "--gc");
    return share.numerator == numerator && share.denominator == denominator;
  };
  EXPECT_TRUE(is("0", 0, 1));
  EXPECT_TRUE(is("1", 1, 1));
  EXPECT_TRUE(is("0.5", 5, 10));
  EXPECT_TRUE(is(".25", 25, 100));
  EXPECT_TRUE(is("1.000000", 1'000'000, 1'000'000));
  for (const char* text : {"", ".", "1.1", "2", "-0.5", "0.1234567", "1e-1", "0,5", "0.5 ", "10"}) {
    EXPECT_THROW(parse_share(text, "--gc"), Error) << text;
  }
}

TEST(Fraction, DecimalsAreWrittenAsTheyAreRead) {
  for (const char* text : {"0", "1", "9", "0.5", "0.000001", "9.999999", "1.25"}) {
    EXPECT_EQ(decimal_text(*parse_decimal(text)), text);
  }
  EXPECT_EQ(decimal_text(*parse_decimal(".250")), "0.25");
  EXPECT_EQ(decimal_text(*parse_decimal("3.")), "3");
  EXPECT_FALSE(parse_decimal("10"));
}

}  // namespace
}  // namespace virnucpro
