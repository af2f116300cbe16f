#include "tables/sequence_summary.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>

#include "tables/score_text.hpp"

namespace virnucpro {

std::string_view words_of(Unscored reason) {
  switch (reason) {
    case Unscored::kEmpty:
      return "empty";
    case Unscored::kTooShort:
      return "shorter than --min-length";
    case Unscored::kNoFrame:
      return "no stop-free frame";
    case Unscored::kFailed:
      return "frames that could not be computed";
  }
  return {};
}

SequenceSummary::SequenceSummary(const CallRule& rule) : rule_(rule), rollup_(rule.viral_ngs()) {
  if (rule.cut_offs() && !rule.is_viral_ngs()) score_.emplace(rule);
}

void SequenceSummary::add(const SequencePart& part, const std::vector<ChunkScore>& chunks) {
  id_ = part.id;
  length_ = part.length;
  chunks_ = part.chunks;
  skip_ = part.skip;
  for (const FrameScore& frame : part.frames) ++(frame.failed ? failed_frames_ : frames_);
  if (score_) score_->add(chunks);
  for (const ChunkScore& chunk : chunks) {
    const float virus = chunk.scores.virus;
    max_ = scored() ? std::max(max_, virus) : virus;
    sum_ += static_cast<double>(virus);
    ++chunks_scored_;
    if (rule_.is_virus_chunk(chunk.scores)) ++virus_chunks_;
    if (rule_.is_viral_ngs()) rollup_.add(chunk.scores);
  }
}

Call SequenceSummary::call() const {
  if (!scored()) return Call::kUnscored;
  if (rule_.is_viral_ngs()) return call_of(contig());
  if (!score_) return virus_share() >= rule_.min_share() ? Call::kVirus : Call::kOthers;
  const std::optional<double>& cut_off = rule_.cut_offs()->of(chunks_scored_).cut_off;
  return cut_off && score_->value() >= *cut_off ? Call::kVirus : Call::kOthers;
}

ContigCall SequenceSummary::contig() const {
  if (!rule_.cut_offs() || !scored()) return rollup_.result();
  return rollup_.result_by(rule_.cut_offs()->of(chunks_scored_).cut_off);
}

std::optional<std::size_t> SequenceSummary::bin_of_cut_offs() const {
  if (!rule_.cut_offs() || !scored()) return std::nullopt;
  return rule_.cut_offs()->bin_of(chunks_scored_);
}

bool SequenceSummary::is_chosen() const {
  return is_virus() && (!rule_.is_viral_ngs() || reaches(contig().tier, rule_.min_tier()));
}

double SequenceSummary::virus_share() const {
  return static_cast<double>(virus_chunks_) / static_cast<double>(chunks_scored_);
}

float SequenceSummary::mean_virus_score() const {
  return static_cast<float>(sum_ / static_cast<double>(chunks_scored_));
}

Unscored SequenceSummary::why_unscored() const {
  if (failed_frames_ > 0) return Unscored::kFailed;
  if (skip_ == Skip::kTooShort) return Unscored::kTooShort;
  return skip_ == Skip::kEmpty || length_ == 0 ? Unscored::kEmpty : Unscored::kNoFrame;
}

std::string SequenceSummary::reason() const {
  if (failed_frames_ > 0) return fmt::format("failed: {} frames", failed_frames_);
  if (scored()) return "NA";
  return std::string(words_of(why_unscored()));
}

std::string SequenceSummary::row(std::string_view input) const {
  std::string scores = "NA\tNA\tunscored";
  if (scored()) {
    scores = fmt::format(FMT_COMPILE("{}\t{}\t{}"), score_text(max_),
                         score_text(mean_virus_score()), word_of(call()));
  }
  return fmt::format(FMT_COMPILE("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n"), id_, length_, chunks_,
                     chunks_scored_, frames_, virus_chunks_, scores, reason(), input);
}

}  // namespace virnucpro
