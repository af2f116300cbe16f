#include "run/model_advice.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

std::string advice(const std::string& model_type, std::uint64_t short_ones, std::uint64_t chunks) {
  const TableCounts counts{.sequences = 4'000, .short_sequences = short_ones, .chunks = chunks};
  return model_advice({{"model_type", model_type}}, counts);
}

TEST(ModelAdvice, NamesTheNumberAndTheOption) {
  EXPECT_EQ(advice("500", 2'000, 4'000),
            "2,000 of 4,000 sequences have at most 300 bases: the model for 300 bases (-m 300) is "
            "meant for them");
}

TEST(ModelAdvice, IsGivenOnlyWhereItIsTrue) {
  EXPECT_EQ(advice("300", 4'000, 4'000), "");
  EXPECT_EQ(advice("custom", 4'000, 4'000), "");
  EXPECT_EQ(advice("500", 2'000, 4'001), "");
  EXPECT_EQ(advice("500", 0, 0), "");
  EXPECT_EQ(model_advice({}, {.short_sequences = 1, .chunks = 1}), "") << "of an older run";
}

}  // namespace
}  // namespace virnucpro
