#include "engine/engine_facts.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;

TEST(BudgetPlan, SaysFromWhatAGpuTookIt) {
  BudgetPlan plan{.tokens = 32768,
                  .wanted = 32768,
                  .weights = kGib * 11 / 2,
                  .batches = 4 * kGib,
                  .free = 71 * kGib,
                  .total = 79 * kGib};
  EXPECT_EQ(plan_text(plan),
            "batches of 32,768 tokens (auto): 5.5 GiB of weights, 4.0 GiB for batches; the GPU had "
            "71.0 GiB of 79.0 GiB free");
  plan.tokens = 8192;
  EXPECT_TRUE(
      plan_text(plan).starts_with("batches of 8,192 tokens (auto; 32,768 tokens did not fit): "));
  plan.is_auto = false;
  EXPECT_TRUE(plan_text(plan).starts_with(
      "batches of 8,192 tokens (--token-budget; 32,768 tokens did not fit)"));
}

TEST(BudgetPlan, SaysFromWhatTheCpuTookIt) {
  BudgetPlan plan{.tokens = 384, .wanted = 384, .threads = 16};
  EXPECT_EQ(plan_text(plan),
            "batches of 384 tokens (auto): each takes some seconds with 16 threads");
  plan.threads = 1;
  EXPECT_TRUE(plan_text(plan).ends_with(": each takes some seconds with one thread"));
  plan.is_auto = false;
  EXPECT_EQ(plan_text(plan), "batches of 384 tokens (--token-budget)");
}

}  // namespace
}  // namespace virnucpro
