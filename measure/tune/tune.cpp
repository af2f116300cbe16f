#include "measure/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "measure/timing/budget_sweep.hpp"
#include "measure/timing/spread.hpp"
#include "measure/timing/turns.hpp"

namespace virnucpro {
namespace {

using MeasureCell = std::function<TuneRun(const TuneCell&, const TuneRound&)>;

// A cell below this share of the fastest rate is stopped. The first round stops only hopeless
// cells. Runs of the second round are longer and vary less by chance, so its bar is higher.
constexpr double kFirstBar = 0.7;
constexpr double kSecondBar = 0.85;

bool is_running(const TuneResult& result) {
  return result.state == TuneState::kRunning;
}

// Replaces each cell by one cell for each value of a setting.
template <typename T>
void add_dimension(const std::vector<T>& values, T TuneCell::*setting,
                   std::vector<TuneCell>& cells) {
  std::vector<TuneCell> more;
  for (const TuneCell& cell : cells) {
    for (const T& value : values) more.emplace_back(cell).*setting = value;
  }
  cells = std::move(more);
}

void end_cell(TuneResult& result, TuneState state, std::string why) {
  result.state = state;
  result.why = std::move(why);
  if (!result.rounds.empty() && result.rounds.back().empty()) result.rounds.pop_back();
}

void run_cell(const TuneRound& round, const MeasureCell& measure, TuneResult& result) {
  try {
    result.rounds.back().push_back(measure(result.cell, round));
  } catch (const Error& error) {
    const bool no_memory = error.kind() == ErrorKind::kOutOfMemory;
    if (!no_memory && error.kind() != ErrorKind::kBenchmark) throw;
    end_cell(result, no_memory ? TuneState::kOutOfMemory : TuneState::kFailed, error.detail());
  }
}

// Returns the fastest of the running cells, which are all in the same round; null if none runs.
const TuneResult* fastest_running(const std::vector<TuneResult>& results) {
  const auto rate = [](const TuneResult& one) { return is_running(one) ? one.rate() : -1; };
  const auto fastest = std::ranges::max_element(results, {}, rate);
  return fastest != results.end() && is_running(*fastest) ? &*fastest : nullptr;
}

void stop_hopeless(std::size_t round, double bar, std::vector<TuneResult>& results,
                   const std::function<void(const TuneResult&)>& tell) {
  const TuneResult* const fastest = fastest_running(results);
  if (fastest == nullptr) return;
  const double rate = fastest->rate();
  const double floor = bar * spread_of(fastest->rates(round)).least;
  for (TuneResult& result : results) {
    if (!is_running(result) || spread_of(result.rates(round)).most >= floor) continue;
    end_cell(result, TuneState::kStopped,
             fmt::format("only {:.0f} % of the fastest cell's rate in round {}",
                         100 * result.rate() / rate, round + 1));
    tell(result);
  }
}

}  // namespace

std::string cell_text(const TuneCell& cell) {
  return fmt::format("{}, {} thread{}, prefetch {}, {} tokens, journal {:g} s",
                     name_of(cell.precision), cell.threads, cell.threads == 1 ? "" : "s",
                     cell.prefetch, cell.token_budget, cell.journal_interval);
}

std::vector<TuneCell> cells_of(const TuneGrid& grid) {
  std::vector<TuneCell> cells{{}};
  add_dimension(grid.precisions, &TuneCell::precision, cells);
  add_dimension(grid.journal_intervals, &TuneCell::journal_interval, cells);
  add_dimension(grid.prefetches, &TuneCell::prefetch, cells);
  add_dimension(grid.threads, &TuneCell::threads, cells);
  add_dimension(grid.token_budgets, &TuneCell::token_budget, cells);
  return cells;
}

std::vector<TuneRound> tune_rounds(std::uint64_t sequences, std::uint64_t least, bool quick) {
  const auto part = [&](std::uint64_t of) {
    return std::min(sequences, std::max(least, (sequences + of - 1) / of));
  };
  if (quick) {
    return {{.sequences = part(8), .repeats = 2, .bar = kFirstBar},
            {.sequences = sequences, .repeats = 1}};
  }
  return {{.sequences = part(16), .repeats = 2, .bar = kFirstBar},
          {.sequences = part(4), .repeats = 2, .bar = kSecondBar},
          {.sequences = sequences, .repeats = 3}};
}

std::string_view name_of(TuneState state) {
  constexpr std::array<std::string_view, 5> kNames{"running", "finished", "stopped",
                                                   "out of memory", "failed"};
  return kNames.at(static_cast<std::size_t>(state));
}

std::vector<double> TuneResult::rates(std::size_t round) const {
  std::vector<double> rates;
  for (const TuneRun& run : rounds.at(round)) rates.push_back(run.sequences_per_second);
  return rates;
}

double TuneResult::rate() const {
  return rounds.empty() ? 0 : spread_of(rates(rounds.size() - 1)).median;
}

std::optional<double> TuneResult::gpu_percent() const {
  std::vector<double> percents;
  if (!rounds.empty()) {
    for (const TuneRun& run : rounds.back()) {
      if (run.gpu_percent) percents.push_back(*run.gpu_percent);
    }
  }
  if (percents.empty()) return std::nullopt;
  return spread_of(std::move(percents)).median;
}

std::vector<TuneResult> tune_cells(const std::vector<TuneCell>& cells,
                                   const std::vector<TuneRound>& rounds, const MeasureCell& measure,
                                   const std::function<void(const TuneResult&)>& tell) {
  std::vector<TuneResult> results;
  for (const TuneCell& cell : cells) results.push_back({.cell = cell});
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    for (TuneResult& result : results) {
      if (is_running(result)) result.rounds.emplace_back();
    }
    take_turns({.sides = results.size(), .repeats = rounds[k].repeats}, [&](std::size_t cell) {
      if (!is_running(results[cell])) return;
      run_cell(rounds[k], measure, results[cell]);
      tell(results[cell]);
    });
    stop_hopeless(k, rounds[k].bar, results, tell);
  }
  for (TuneResult& result : results) {
    if (is_running(result)) result.state = TuneState::kFinished;
  }
  return results;
}

double relative_rate(const std::vector<TuneResult>& results, const TuneResult& result) {
  if (result.rounds.empty()) return 0;
  const std::size_t round = result.rounds.size() - 1;
  double fastest = 0;
  for (const TuneResult& other : results) {
    if (other.rounds.size() <= round) continue;
    fastest = std::max(fastest, spread_of(other.rates(round)).median);
  }
  return fastest > 0 ? result.rate() / fastest : 0;
}

std::optional<TuneWinner> winner_of(const std::vector<TuneResult>& results) {
  const auto rate = [](const TuneResult& result) {
    return result.state == TuneState::kFinished ? result.rate() : 0;
  };
  const auto fastest = std::ranges::max_element(results, {}, rate);
  if (fastest == results.end() || rate(*fastest) <= 0) return std::nullopt;
  const auto is_alike = [&](const TuneResult& result) {
    return rate(result) >= kGoodEnough * rate(*fastest);
  };
  // On a tie the most exact precision wins, because it is the smallest value of the enum.
  const auto need = [](const TuneResult& result) {
    const TuneCell& cell = result.cell;
    return std::tuple(cell.token_budget, cell.threads, cell.prefetch, cell.journal_interval,
                      cell.precision);
  };
  auto winner = fastest;
  for (auto result = results.begin(); result != results.end(); ++result) {
    if (is_alike(*result) && need(*result) < need(*winner)) winner = result;
  }
  return TuneWinner{.place = static_cast<std::size_t>(std::distance(results.begin(), winner)),
                    .fastest = static_cast<std::size_t>(std::distance(results.begin(), fastest)),
                    .alike = static_cast<std::size_t>(std::ranges::count_if(results, is_alike))};
}

}  // namespace virnucpro
