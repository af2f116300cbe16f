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

// A scored sequence, as its row in sequences.tsv has it.
struct SequenceHit {
  std::string id;  // as shown_text() has it
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

// A bin of the lengths of sequences, which stand on a scale of 1, 2, 5, 10, 20 …
struct LengthBin {
  std::uint64_t from = 0;
  std::uint64_t below = 0;
  std::uint64_t sequences = 0;
};

// What a journal says of the sequences that were looked at, those of failed inputs left out.
struct ScoreFacts {
  static constexpr std::size_t kScoreBins = 20;
  static constexpr std::size_t kTopHits = 200;
  static constexpr std::size_t kMostFrames = 6;  // of a chunk

  TableCounts counts;  // but for the duplicate ids, which want a sort
  std::uint64_t bases = 0;
  std::uint64_t chunks = 0;
  // Frames by virus score, each bin a twentieth; a score of 1 is in the last.
  std::array<std::uint64_t, kScoreBins> frames_by_score{};
  std::array<std::uint64_t, kMostFrames + 1> chunks_by_frames{};
  std::vector<LengthBin> lengths;     // from the first that has a sequence to the last
  std::vector<SequenceHit> top_hits;  // by virus share, then largest virus score, then order
};

// Memory does not grow with the run. Errors: kJournalDamaged.
ScoreFacts read_scores(const Journal& journal, double threshold, const Cancel& cancel);

}  // namespace virnucpro
