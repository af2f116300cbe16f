#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "tables/call_rule.hpp"

namespace virnucpro {

// The differences between the scores of two runs over the same sequences. Both the highest and the
// mean virus score of a sequence are compared; the larger difference counts.
struct ScoreDifferences {
  static constexpr std::array<double, 3> kBounds{1e-4, 1e-3, 1e-2};

  std::uint64_t compared = 0;  // sequences in both runs
  std::uint64_t other_calls = 0;
  std::uint64_t scored_once = 0;  // sequences with a score in only one of the two runs
  std::uint64_t equal = 0;        // sequences with equal scores, among those scored by both runs
  // Sequences with a difference up to each bound; the last element counts larger differences.
  std::array<std::uint64_t, kBounds.size() + 1> by_bound{};
  double largest = 0;
  // The number, from 1, of the first sequence that differs between the runs or that one run lacks.
  // From that sequence on, nothing is compared.
  std::optional<std::uint64_t> parted;
};

struct ScoredRun {
  const Journal& journal;
  CallRule rule;
};

// Compares the scores of two runs. Reads both journals side by side, so memory does not grow with
// them. Errors: kJournalDamaged; those of Cancel.
ScoreDifferences compare_scores(const ScoredRun& first, const ScoredRun& other,
                                const Cancel& cancel);

}  // namespace virnucpro
