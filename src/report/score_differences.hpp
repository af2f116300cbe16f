#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "tables/call_rule.hpp"

namespace virnucpro {

// The differences between the scores of two runs over the same sequences. A sequence's difference
// is that of its highest or of its mean virus score, whichever is larger.
struct ScoreDifferences {
  static constexpr std::array<double, 3> kBounds{1e-4, 1e-3, 1e-2};

  std::uint64_t compared = 0;  // sequences in both runs
  std::uint64_t other_calls = 0;
  std::uint64_t scored_once = 0;                             // by only one of the two runs
  std::uint64_t equal = 0;                                   // of those scored by both
  std::array<std::uint64_t, kBounds.size() + 1> by_bound{};  // up to each bound; last: beyond
  double largest = 0;
  // The first sequence, counted from 1, that differs between the runs or is missing in one. Nothing
  // is compared from it on.
  std::optional<std::uint64_t> parted;
};

struct ScoredRun {
  const Journal& journal;
  CallRule rule;
};

// Reads both journals in parallel: memory does not grow with them.
// Errors: kJournalDamaged, Cancel's.
ScoreDifferences compare_scores(const ScoredRun& first, const ScoredRun& other,
                                const Cancel& cancel);

}  // namespace virnucpro
