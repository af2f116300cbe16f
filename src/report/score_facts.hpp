#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// A scored sequence, with the values of its row in sequences.tsv.
struct SequenceHit {
  std::string id;  // through shown_text()
  std::uint32_t input = 0;
  std::uint64_t number = 0;  // in input order, from 1
  std::uint64_t length = 0;
  std::uint64_t chunks_scored = 0;
  std::uint64_t virus_chunks = 0;
  double virus_share = 0;
  float max_virus_score = 0;
  float mean_virus_score = 0;
  bool virus = false;
};

// A bin of sequence lengths; bins start at 0, 1, 2, 5, 10, 20 …
struct LengthBin {
  std::uint64_t from = 0;
  std::uint64_t below = 0;
  std::uint64_t sequences = 0;
};

// What a journal says about its sequences, except those of failed inputs.
struct ScoreFacts {
  static constexpr std::size_t kScoreBins = 20;
  static constexpr std::size_t kTopHits = 200;
  static constexpr std::size_t kMostFrames = 6;  // of a chunk

  TableCounts counts;  // without duplicate ids, which would need a sort
  std::uint64_t bases = 0;
  std::uint64_t chunks = 0;
  // Frames by virus score, in bins of 0.05; a score of 1 is in the last.
  std::array<std::uint64_t, kScoreBins> frames_by_score{};
  std::array<std::uint64_t, kMostFrames + 1> chunks_by_frames{};
  std::vector<LengthBin> lengths;     // from the first bin with a sequence to the last
  std::vector<SequenceHit> top_hits;  // by virus share, then largest virus score, then order
};

// Memory does not grow with the run. Errors: kJournalDamaged.
ScoreFacts read_scores(const Journal& journal, const CallRule& rule, const Cancel& cancel);

}  // namespace virnucpro
