#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ops/context.hpp"

namespace virnucpro {

// One cell of a grid: a set of settings for predict.
struct TuneCell {
  Precision precision = Precision::kFp32;
  std::size_t threads = 1;
  std::size_t prefetch = 1;
  std::size_t token_budget = 1;
  double journal_interval = 2;  // seconds of scores that a killed run may lose

  bool operator==(const TuneCell&) const = default;
};
// Returns a text such as "fp16, 8 threads, prefetch 2, 32768 tokens, journal 2 s".
std::string cell_text(const TuneCell& cell);

// The values of each setting, ascending. Every combination of values is a cell.
struct TuneGrid {
  std::vector<Precision> precisions{};
  std::vector<std::size_t> threads{};
  std::vector<std::size_t> prefetches{};
  std::vector<std::size_t> token_budgets{};
  std::vector<double> journal_intervals{};
};
std::vector<TuneCell> cells_of(const TuneGrid& grid);

// One round of tuning: all remaining cells are measured on the same part of the data.
struct TuneRound {
  std::uint64_t sequences = 0;  // number of sequences in each run
  std::size_t repeats = 1;
  double bar = 0;  // a cell below this share of the fastest cell's rate is stopped
};

// Returns three rounds, on a sixteenth, a fourth and all of the data. The last round stops no cell.
// If `quick`, returns two rounds, on an eighth and on all, and the second has no repeats. Each
// round has at least `least` sequences, if the data have as many.
std::vector<TuneRound> tune_rounds(std::uint64_t sequences, std::uint64_t least, bool quick);

struct TuneRun {
  double sequences_per_second = 0;  // while the run computed
  double seconds = 0;               // time of the whole process
  std::uint64_t batches = 0;
  std::optional<double> gpu_percent{};  // use of the least busy GPU while embedding
};

enum class TuneState : std::uint8_t { kRunning, kFinished, kStopped, kOutOfMemory, kFailed };
std::string_view name_of(TuneState state);  // such as "out of memory"

struct TuneResult {
  TuneCell cell{};
  std::vector<std::vector<TuneRun>> rounds{};  // runs by round; every round has at least one
  TuneState state = TuneState::kRunning;
  std::string why{};  // why the cell was not measured in all rounds

  std::vector<double> rates(std::size_t round) const;
  // Returns the median rate of the last round; 0 if there is no round.
  double rate() const;
  // Returns the median GPU use of the last round; empty if no run measured it.
  std::optional<double> gpu_percent() const;
};

// Measures cells by successive halving (Jamieson and Talwalkar, 2016), but stops the cells below a
// bar, not half of the cells. After a round, a cell is stopped if even its fastest run has a rate
// below bar · (rate of the slowest run of the fastest cell). Runs of one round take turns, so that
// a machine that slows down affects all cells. Calls `tell` after every run and for every stopped
// cell. If `measure` throws kOutOfMemory or kBenchmark, only that cell ends; other errors are
// thrown.
std::vector<TuneResult> tune_cells(
    const std::vector<TuneCell>& cells, const std::vector<TuneRound>& rounds,
    const std::function<TuneRun(const TuneCell&, const TuneRound&)>& measure,
    const std::function<void(const TuneResult&)>& tell);

// Returns the rate of a cell's last round as a share of the fastest cell's rate in that round.
double relative_rate(const std::vector<TuneResult>& results, const TuneResult& result);

struct TuneWinner {
  std::size_t place = 0;    // index of the winner in the results
  std::size_t fastest = 0;  // index of the fastest cell in the results
  std::size_t alike = 1;    // number of cells within kGoodEnough of `fastest`, itself included
};

// Returns the winner among the finished cells that are about as fast as the fastest: the one with
// the smallest token budget, then the fewest threads, the smallest prefetch, the shortest interval
// of the journal and the most exact precision. A run should not use more of a machine for a gain
// within the noise of repeats. Empty if no cell finished.
std::optional<TuneWinner> winner_of(const std::vector<TuneResult>& results);

}  // namespace virnucpro
