#include "measure/timing/budget_sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <utility>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

BudgetRow row_of(std::size_t budget, double rate) {
  return {.token_budget = budget, .tokens_per_second = rate};
}

// The result of a sweep over 1, 2, 3, 4 tokens.
struct Outcome {
  std::vector<BudgetRow> rows;
  std::vector<std::size_t> handed_on;
  std::vector<std::size_t> measured;
};

template <typename Failure>
Outcome sweep_failing_at(std::size_t failing, const Failure& failure) {
  Outcome outcome;
  outcome.rows = sweep_budgets(
      {1, 2, 3, 4},
      [&](std::size_t budget) {
        outcome.measured.push_back(budget);
        if (budget == failing) throw failure;
        return row_of(budget, 10);
      },
      [&](const BudgetRow& row) { outcome.handed_on.push_back(row.token_budget); });
  return outcome;
}

TEST(BudgetsBetween, DoublesWithoutAStepAndEndsWithTheMost) {
  EXPECT_THAT(budgets_between(512, 4096, 0), ElementsAre(512, 1024, 2048, 4096));
  EXPECT_THAT(budgets_between(3, 13, 0), ElementsAre(3, 6, 12, 13));
  EXPECT_THAT(budgets_between(1000, 1500, 0), ElementsAre(1000, 1500));
  EXPECT_THAT(budgets_between(7, 7, 0), ElementsAre(7));
}

TEST(BudgetsBetween, GoesInStepsUpToTheLast) {
  EXPECT_THAT(budgets_between(100, 500, 200), ElementsAre(100, 300, 500));
  EXPECT_THAT(budgets_between(100, 499, 200), ElementsAre(100, 300));
  EXPECT_THAT(budgets_between(7, 7, 1), ElementsAre(7));
  EXPECT_THAT(budgets_between(7, 8, 100), ElementsAre(7));
}

TEST(SummariseRepeats, TakesMedianAndSpread) {
  const BudgetRow odd = summarise_repeats(64, {30, 10, 20}, 9);
  EXPECT_EQ(odd.token_budget, 64U);
  EXPECT_DOUBLE_EQ(odd.tokens_per_second, 20);
  EXPECT_DOUBLE_EQ(odd.spread, 1);
  EXPECT_EQ(odd.batches, 9U);
  EXPECT_FALSE(odd.out_of_memory);
  EXPECT_DOUBLE_EQ(summarise_repeats(64, {40, 10, 20, 30}, 4).tokens_per_second, 25);
  EXPECT_DOUBLE_EQ(summarise_repeats(64, {40}, 1).spread, 0);
}

TEST(RecommendedBudget, IsTheSmallestThatIsFastEnough) {
  EXPECT_EQ(recommended_budget({row_of(1, 50), row_of(2, 99.5), row_of(4, 100)}), 2U);
  EXPECT_EQ(recommended_budget({row_of(1, 98.9), row_of(2, 98.8), row_of(4, 100)}), 4U);
  EXPECT_EQ(recommended_budget({row_of(1, 100), row_of(2, 90), row_of(4, 100.5)}), 1U);
  EXPECT_EQ(recommended_budget({row_of(8, 3)}), 8U);
}

TEST(RecommendedBudget, IsNoneThatMemoryDoesNotHold) {
  EXPECT_EQ(recommended_budget({row_of(1, 50), {.token_budget = 2, .out_of_memory = true}}), 1U);
}

TEST(SweepBudgets, HandsOnEveryRowInOrder) {
  const Outcome outcome = sweep_failing_at(9, 0);
  EXPECT_EQ(outcome.rows.size(), 4U);
  EXPECT_THAT(outcome.handed_on, ElementsAre(1, 2, 3, 4));
}

TEST(SweepBudgets, EndsWhereMemoryDoes) {
  for (const Outcome& outcome : {sweep_failing_at(3, Error(ErrorKind::kOutOfMemory, "")),
                                 sweep_failing_at(3, std::bad_alloc())}) {
    EXPECT_THAT(outcome.measured, ElementsAre(1, 2, 3));
    EXPECT_THAT(outcome.handed_on, ElementsAre(1, 2, 3));
    ASSERT_EQ(outcome.rows.size(), 3U);
    EXPECT_FALSE(outcome.rows[1].out_of_memory);
    EXPECT_TRUE(outcome.rows[2].out_of_memory);
  }
}

TEST(SweepBudgets, FailsWithoutMemoryForTheFirstAndWithOtherErrors) {
  for (const auto& [budget, kind] :
       {std::pair{1U, ErrorKind::kOutOfMemory}, std::pair{3U, ErrorKind::kInterrupted}}) {
    EXPECT_EQ(
        reason_of(kind, [budget = budget,
                         kind = kind] { sweep_failing_at(budget, Error(kind, "512 bytes")); }),
        "512 bytes");
  }
}

}  // namespace
}  // namespace virnucpro
