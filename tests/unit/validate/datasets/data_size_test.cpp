#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "validate/datasets/data_set.hpp"

namespace virnucpro {
namespace {

TEST(DataSizes, AreKnownByName) {
  EXPECT_EQ(parse_data_size("tiny", "--preset").sequences, 10U);
  EXPECT_EQ(parse_data_size("small", "--preset").sequences, 100U);
  EXPECT_EQ(parse_data_size("medium", "--preset").sequences, 1'000U);
  EXPECT_EQ(parse_data_size("large", "--preset").sequences, 10'000U);
  EXPECT_EQ(parse_data_size("production", "--preset").sequences, 6'000'000U);
  EXPECT_EQ(data_sizes().size(), 5U);
}

TEST(DataSizes, AnUnknownNameIsToldTheKnownOnes) {
  try {
    parse_data_size("smal", "--preset");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.detail(), testing::AllOf(testing::HasSubstr("--preset smal"),
                                               testing::HasSubstr("production"),
                                               testing::HasSubstr("did you mean small?")));
  }
}

}  // namespace
}  // namespace virnucpro
