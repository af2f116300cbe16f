#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "report/contig_map.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/tables.hpp"

namespace virnucpro {

// A sequence that is written as virus or has a virus chunk, with the values of its rows in
// sequences.tsv and contigs.tsv.
struct SequenceHit {
  std::string id{};  // as shown_text() returns it
  std::uint32_t input = 0;
  std::uint64_t number = 0;  // in input order, from 1
  std::uint64_t length = 0;
  std::uint64_t bases_scored = 0;
  std::uint64_t chunks_scored = 0;
  std::uint64_t virus_chunks = 0;
  double virus_share = 0;
  // By the rule majority, each base of a virus chunk adds the chunk's virus score minus its other
  // score; a base in two chunks counts only in the first chunk. By the rule viral-ngs, it is the
  // number of scored bases times weighted_delta.
  double evidence = 0;
  float max_virus_score = 0;
  float mean_virus_score = 0;
  Call call = Call::kOthers;
  std::string_view tier{};        // only with the rule viral-ngs
  std::vector<MapStretch> map{};  // empty for a sequence of one chunk
};

// The sequences of one call and one tier in contigs.tsv.
struct TierCount {
  std::string_view call;
  std::string_view tier;
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
};

// A bin of sequence lengths; bins start at 0, 1, 2, 5, 10, 20 …
struct LengthBin {
  std::uint64_t from = 0;
  std::uint64_t below = 0;
  std::uint64_t sequences = 0;
};

// The facts of a journal's sequences, except the sequences of failed inputs.
struct ScoreFacts {
  static constexpr std::size_t kScoreBins = 20;
  static constexpr std::size_t kTopHits = 200;
  static constexpr std::size_t kMostFrames = 6;  // the most frames of a chunk

  TableCounts counts;  // duplicate ids are not counted, because finding them needs a sort
  std::uint64_t bases = 0;
  std::uint64_t bases_scored = 0;  // bases in a scored chunk
  // Stretches outside all scored chunks, in sequences that have a score.
  std::uint64_t unscored_stretches = 0;
  std::uint64_t unscored_bases = 0;
  std::uint64_t longest_unscored = 0;
  std::vector<TierCount> tiers;  // tiers with a sequence: virus first, then from high to low
  std::uint64_t hits = 0;        // number of hits; top_hits may have fewer
  std::uint64_t chunks = 0;
  // Frames by virus score, in bins of 0.05; a score of 1 is in the last bin.
  std::array<std::uint64_t, kScoreBins> frames_by_score{};
  std::array<std::uint64_t, kScoreBins> sequences_by_score{};  // by their highest virus score
  std::array<std::uint64_t, kMostFrames + 1> chunks_by_frames{};
  std::vector<LengthBin> lengths;     // from the first bin with a sequence to the last
  std::vector<SequenceHit> top_hits;  // virus first; then by tier, evidence, score, input order
};

struct ScoreSettings {
  CallRule rule{};
  std::uint64_t chunk_size = 0;  // the run's chunk length, in bases
};

// Reads the facts; memory does not grow with the run. Errors: kJournalDamaged; those of Cancel.
ScoreFacts read_scores(const Journal& journal, const ScoreSettings& settings, const Cancel& cancel);

}  // namespace virnucpro
