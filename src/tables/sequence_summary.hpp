#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/unit.hpp"
#include "tables/call_rule.hpp"
#include "tables/chunk_score.hpp"
#include "tables/contig_rollup.hpp"
#include "tables/sequence_score.hpp"

namespace virnucpro {

enum class Unscored : std::uint8_t { kEmpty, kTooShort, kNoFrame, kFailed };
inline constexpr std::size_t kUnscoredReasons = 4;
std::string_view words_of(Unscored reason);

// A sequence's row in sequences.tsv, added up from its parts in order.
class SequenceSummary {
 public:
  explicit SequenceSummary(const CallRule& rule = {});

  void add(const SequencePart& part, const std::vector<ChunkScore>& chunks);

  bool scored() const { return chunks_scored_ > 0; }
  // Returns the call, which is the same in every file.
  Call call() const;
  bool is_virus() const { return call() == Call::kVirus; }
  // True if the sequence is written to files: it is called virus, and its tier is high enough.
  bool is_chosen() const;
  // Returns the call in contigs.tsv. Call it only under the rule viral-ngs.
  ContigCall contig() const;
  // Returns the sequence's bin of the rule's cut-offs; empty without cut-offs or scores.
  std::optional<std::size_t> bin_of_cut_offs() const;
  std::uint64_t length() const { return length_; }
  std::uint64_t chunks() const { return chunks_; }
  std::uint64_t chunks_scored() const { return chunks_scored_; }
  std::uint64_t virus_chunks() const { return virus_chunks_; }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t failed_frames() const { return failed_frames_; }
  // Returns the share of virus chunks among scored chunks. Call it only if a chunk is scored.
  double virus_share() const;
  float max_virus_score() const { return max_; }
  float mean_virus_score() const;
  // Call it only if no chunk is scored.
  Unscored why_unscored() const;
  // Returns the row of kSequenceTable, with its line end. `input` is the name of the sequence's
  // input, on one line.
  std::string row(std::string_view input) const;

 private:
  std::string reason() const;

  CallRule rule_;
  ContigRollup rollup_;
  std::string id_;
  std::uint64_t length_ = 0;
  std::uint64_t chunks_ = 0;
  Skip skip_ = Skip::kNone;
  std::uint64_t chunks_scored_ = 0;
  std::uint64_t virus_chunks_ = 0;
  std::optional<SequenceScore> score_{};  // set only for the rule majority with cut-offs
  std::uint64_t frames_ = 0;
  std::uint64_t failed_frames_ = 0;
  float max_ = 0;
  double sum_ = 0;
};

}  // namespace virnucpro
