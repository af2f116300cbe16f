#include "ops/attention_plan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/ops/architectures.hpp"

namespace virnucpro::cuda {
namespace {

TEST(AttentionPlan, LetsTwoBlocksLiveOnAMultiprocessor) {
  for (const Architecture& architecture : kArchitectures) {
    for (const std::uint32_t width : {16U, 32U, 64U, 128U}) {
      for (const std::uint32_t longest : {1U, 63U, 168U, kWholeRows, kWholeRows + 1, 5000U}) {
        const std::uint32_t rows =
            attention_rows(width, longest, architecture.multiprocessor << 10U);
        const std::size_t bytes = attention_bytes(width, rows);
        const auto where = std::string(architecture.name) + ", " + std::to_string(width) + ", " +
                           std::to_string(longest);
        EXPECT_LE(2 * (bytes + kReservedBytes), architecture.multiprocessor << 10U) << where;
        EXPECT_LE(bytes, architecture.block << 10U) << where;
        if (rows < longest) {
          EXPECT_EQ(rows % kBlockKeys, 0U) << where;
          EXPECT_GT(rows, 0U) << where;
        } else {
          EXPECT_EQ(rows, longest) << where;
        }
      }
    }
  }
}

// ESM-2 3B has heads of 64; the proteins of 500-base chunks have at most 168 tokens.
TEST(AttentionPlan, KeepsTheKeysOfAChunksProteinOnEveryCard) {
  for (const Architecture& architecture : kArchitectures) {
    EXPECT_EQ(attention_rows(64, 168, architecture.multiprocessor << 10U), 168U)
        << architecture.name;
  }
}

TEST(AttentionPlan, CutsWhatDoesNotFit) {
  EXPECT_EQ(attention_rows(64, kWholeRows + 1, std::size_t{228} << 10U), kCutRows);
  EXPECT_EQ(attention_rows(128, 168, std::size_t{100} << 10U), kBlockKeys);
}

}  // namespace
}  // namespace virnucpro::cuda
