#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace virnucpro {

// How fast a model is at one token budget.
struct BudgetRow {
  std::size_t token_budget = 0;
  bool out_of_memory = false;    // then nothing else is known
  double tokens_per_second = 0;  // the median of the repeats
  double spread = 0;             // from the slowest repeat to the fastest, as a share of the median
  std::uint64_t batches = 0;     // of all repeats together
  std::vector<double> rates{};   // of each repeat
  double busy_share = 0;         // of the time, by the device's own events
};

// A budget is recommended whose rate is at least this share of the fastest one's: beyond it a
// larger batch takes more memory for a gain that repeats of one measurement differ by.
inline constexpr double kGoodEnough = 0.99;

// From `least` (not 0) up to `most` (no less), in steps or, where `step` is 0, by doubling with
// `most` as the last.
std::vector<std::size_t> budgets_between(std::size_t least, std::size_t most, std::size_t step);

// The row of a budget from the rate of each repeat, of which there is one at least.
BudgetRow summarise_repeats(std::size_t token_budget, std::vector<double> rates,
                            std::uint64_t batches);

// Measures one budget after the other; hands each row on as it comes. The budget that memory does
// not hold is the last row. Errors: those of `measure`; kOutOfMemory only of the first budget.
std::vector<BudgetRow> sweep_budgets(const std::vector<std::size_t>& budgets,
                                     const std::function<BudgetRow(std::size_t)>& measure,
                                     const std::function<void(const BudgetRow&)>& on_row);

// The smallest budget that is fast enough (kGoodEnough) of rows of which one at least was measured.
std::size_t recommended_budget(const std::vector<BudgetRow>& rows);

}  // namespace virnucpro
