#include "measure/timing/budget_sweep.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "measure/timing/spread.hpp"

namespace virnucpro {
std::vector<std::size_t> budgets_between(std::size_t least, std::size_t most, std::size_t step) {
  std::vector<std::size_t> budgets;
  for (std::size_t budget = least; budget <= most; budget += step == 0 ? budget : step) {
    budgets.push_back(budget);
  }
  if (step == 0 && budgets.back() != most) budgets.push_back(most);
  return budgets;
}

BudgetRow summarise_repeats(std::size_t token_budget, std::vector<double> rates,
                            std::uint64_t batches) {
  const Spread spread = spread_of(rates);
  return {.token_budget = token_budget,
          .tokens_per_second = spread.median,
          .spread = (spread.most - spread.least) / spread.median,
          .batches = batches,
          .rates = std::move(rates)};
}

std::vector<BudgetRow> sweep_budgets(const std::vector<std::size_t>& budgets,
                                     const std::function<BudgetRow(std::size_t)>& measure,
                                     const std::function<void(const BudgetRow&)>& on_row) {
  std::vector<BudgetRow> rows;
  for (const std::size_t budget : budgets) {
    try {
      rows.push_back(measure(budget));
    } catch (const std::exception& exception) {
      if (rows.empty() || error_of(exception).kind() != ErrorKind::kOutOfMemory) throw;
      rows.push_back({.token_budget = budget, .out_of_memory = true});
    }
    on_row(rows.back());
    if (rows.back().out_of_memory) break;
  }
  return rows;
}

std::size_t recommended_budget(const std::vector<BudgetRow>& rows) {
  double fastest = 0;
  for (const BudgetRow& row : rows) fastest = std::max(fastest, row.tokens_per_second);
  std::size_t smallest = rows.front().token_budget;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (row->tokens_per_second >= kGoodEnough * fastest) smallest = row->token_budget;
  }
  return smallest;
}

}  // namespace virnucpro
