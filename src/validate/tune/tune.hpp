#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ops/context.hpp"

namespace virnucpro {

// A way of running predict: one cell of a grid.
struct TuneCell {
  Precision precision = Precision::kFp32;
  std::size_t threads = 1;
  std::size_t prefetch = 1;
  std::size_t token_budget = 1;

  bool operator==(const TuneCell&) const = default;
};
// "fp16, 8 threads, prefetch 2, 32768 tokens"
std::string cell_text(const TuneCell& cell);

// The values to be tried, ascending; every combination of them is a cell.
struct TuneGrid {
  std::vector<Precision> precisions{};
  std::vector<std::size_t> threads{};
  std::vector<std::size_t> prefetches{};
  std::vector<std::size_t> token_budgets{};
};
std::vector<TuneCell> cells_of(const TuneGrid& grid);

// All cells that are left are measured on so much of the data before any goes on to more of it.
struct TuneRound {
  std::uint64_t sequences = 0;  // a run
  std::size_t repeats = 1;
  double bar = 0;  // the share of the fastest cell's rate below which a cell is stopped
};

// Three rounds, of a sixteenth, a fourth and all of the data, the last of which stops no cell;
// quick: two, of an eighth and all, the second without repeats. None is of fewer than `least`
// sequences where there are as many.
std::vector<TuneRound> tune_rounds(std::uint64_t sequences, std::uint64_t least, bool quick);

struct TuneRun {
  double sequences_per_second = 0;  // while it computed
  double seconds = 0;               // of the whole process
  std::uint64_t batches = 0;
};

enum class TuneState : std::uint8_t { kRunning, kFinished, kStopped, kOutOfMemory, kFailed };
std::string_view name_of(TuneState state);  // "finished", "stopped", "out of memory", "failed"

struct TuneResult {
  TuneCell cell{};
  std::vector<std::vector<TuneRun>> rounds{};  // the repeats of each; no round is without a run
  TuneState state = TuneState::kRunning;
  std::string why{};  // it was not measured to the end

  std::vector<double> rates(std::size_t round) const;
  // The median of the last round's; 0 where there is none.
  double rate() const;
};

// Successive halving (Jamieson and Talwalkar, 2016) with a bar in place of the half: after a round
// those cells are stopped whose fastest run is slower than the bar's share of the fastest cell's
// slowest run. Runs of one round take turns, so that a machine that grows slower does so to all
// cells. `tell` is called after every run and for every cell that is stopped. A run for which
// `measure` throws kOutOfMemory or kBenchmark is the end of its cell alone. Errors: all others of
// `measure`.
std::vector<TuneResult> tune_cells(
    const std::vector<TuneCell>& cells, const std::vector<TuneRound>& rounds,
    const std::function<TuneRun(const TuneCell&, const TuneRound&)>& measure,
    const std::function<void(const TuneResult&)>& tell);

// The rate of a cell's last round as a share of the fastest cell's in that round.
double relative_rate(const std::vector<TuneResult>& results, const TuneResult& result);

struct TuneWinner {
  std::size_t place = 0;    // among the results
  std::size_t fastest = 0;  // likewise
  std::size_t alike = 1;    // cells about as fast as that one (kGoodEnough), it and the winner too
};

// Of the cells that are about as fast as the fastest of those that finished, the one with the
// smallest token budget, then the fewest threads, the smallest prefetch and the most exact
// precision: what a run takes of a machine for less than repeats differ by is better left to
// others. Empty where no cell finished.
std::optional<TuneWinner> winner_of(const std::vector<TuneResult>& results);

}  // namespace virnucpro
