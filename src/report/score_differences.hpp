#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/cancel.hpp"
#include "journal/journal.hpp"

namespace virnucpro {

// How the scores of two runs over the same sequences differ. A sequence's difference is the larger
// of those of its highest and its mean virus score.
struct ScoreDifferences {
  static constexpr std::array<double, 3> kBounds{1e-4, 1e-3, 1e-2};

  std::uint64_t compared = 0;  // sequences that both have
  std::uint64_t other_calls = 0;
  std::uint64_t scored_once = 0;                             // by one of the two runs only
  std::uint64_t equal = 0;                                   // of those scored by both
  std::array<std::uint64_t, kBounds.size() + 1> by_bound{};  // different, up to each bound; beyond
  double largest = 0;
  // The first sequence, counted from 1, that is another in the other run or missing in one of
  // them: nothing from it on is compared.
  std::optional<std::uint64_t> parted;
};

struct ScoredRun {
  const Journal& journal;
  double threshold;
};

// Goes through both journals beside each other: memory does not grow with them.
// Errors: kJournalDamaged, Cancel's.
ScoreDifferences compare_scores(const ScoredRun& first, const ScoredRun& other,
                                const Cancel& cancel);

}  // namespace virnucpro
