#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace virnucpro {

// A model's speed at one token budget.
struct BudgetRow {
  std::size_t token_budget = 0;
  bool out_of_memory = false;    // if true, the figures below are unknown
  double tokens_per_second = 0;  // the median of the repeats
  double spread = 0;             // from the slowest repeat to the fastest, as a share of the median
  std::uint64_t batches = 0;     // number of batches in all repeats together
  std::vector<double> rates{};   // tokens per second of each repeat
  double busy_share = 0;         // share of the time in which the device computed, by device events
};

// A budget is recommended if its rate is at least this share of the fastest rate. Even repeats of
// one budget differ by 1 %, so a larger budget would use more memory without a real gain.
inline constexpr double kGoodEnough = 0.99;

// Returns the budgets from `least` (above 0) to `most` (at least `least`), in steps. If `step` is
// 0, each budget is twice the budget before, but the last one is `most`.
std::vector<std::size_t> budgets_between(std::size_t least, std::size_t most, std::size_t step);

// Returns a budget's row from the rates of its repeats. Needs at least one rate.
BudgetRow summarise_repeats(std::size_t token_budget, std::vector<double> rates,
                            std::uint64_t batches);

// Measures the budgets in order, and passes each row to `on_row` at once. Stops after the first
// budget that exceeds memory. Errors: those of `measure`; kOutOfMemory only for the first budget.
std::vector<BudgetRow> sweep_budgets(const std::vector<std::size_t>& budgets,
                                     const std::function<BudgetRow(std::size_t)>& measure,
                                     const std::function<void(const BudgetRow&)>& on_row);

// Returns the smallest budget whose rate is good enough (kGoodEnough). Needs at least one row.
std::size_t recommended_budget(const std::vector<BudgetRow>& rows);

}  // namespace virnucpro
