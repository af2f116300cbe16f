#include "validate/data_size.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace virnucpro {
namespace {

TEST(DataSize, IsKnownByName) {
  EXPECT_EQ(parse_data_size("tiny", "--data-size").sequences, 10U);
  EXPECT_EQ(parse_data_size("small", "--data-size").sequences, 100U);
  EXPECT_EQ(parse_data_size("medium", "--data-size").sequences, 1'000U);
  EXPECT_EQ(parse_data_size("large", "--data-size").sequences, 10'000U);
  EXPECT_EQ(parse_data_size("production", "--data-size").sequences, 6'000'000U);
}

TEST(DataSize, OfAnUnknownNameTellsThoseThereAre) {
  try {
    parse_data_size("medum", "--data-size");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("--data-size medum: expected tiny, small"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("did you mean medium?"), std::string::npos);
  }
}

}  // namespace
}  // namespace virnucpro
