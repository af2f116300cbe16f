#include "report/score_facts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/shown_text.hpp"
#include "tables/sequence_walk.hpp"

namespace virnucpro {
namespace {

std::size_t score_bin(float score) {
  const double bins = static_cast<double>(ScoreFacts::kScoreBins);
  const double bin = std::clamp(static_cast<double>(score) * bins, 0.0, bins - 1);
  return static_cast<std::size_t>(bin);
}

// Bins from 0, 1, 2, 5, 10 … to beyond the longest sequence that is read.
std::vector<LengthBin> empty_length_bins() {
  std::vector<LengthBin> bins{{.from = 0, .below = 1, .sequences = 0}};
  for (std::uint64_t decade = 1; decade <= 1'000'000'000; decade *= 10) {
    bins.push_back({decade, 2 * decade, 0});
    bins.push_back({2 * decade, 5 * decade, 0});
    bins.push_back({5 * decade, 10 * decade, 0});
  }
  return bins;
}

void trim(std::vector<LengthBin>& bins) {
  const auto has_some = [](const LengthBin& bin) { return bin.sequences > 0; };
  bins.erase(std::find_if(bins.rbegin(), bins.rend(), has_some).base(), bins.end());
  bins.erase(bins.begin(), std::find_if(bins.begin(), bins.end(), has_some));
}

bool is_before(const SequenceHit& a, const SequenceHit& b) {
  if (a.virus_share != b.virus_share) return a.virus_share > b.virus_share;
  if (a.max_virus_score != b.max_virus_score) return a.max_virus_score > b.max_virus_score;
  return a.number < b.number;
}

// Takes the journal's sequences in order.
class Collector {
 public:
  explicit Collector(ScoreFacts& facts) : facts_(facts) { facts_.lengths = empty_length_bins(); }

  void add_part(const SequencePart& part) {
    std::uint64_t with_frames = 0;
    for (auto at = part.frames.begin(); at != part.frames.end(); ++with_frames) {
      const auto end = std::find_if(at, part.frames.end(), [at](const FrameScore& frame) {
        return frame.chunk != at->chunk;
      });
      const auto frames = static_cast<std::size_t>(end - at);
      ++facts_.chunks_by_frames[std::min(frames, ScoreFacts::kMostFrames)];
      at = end;
    }
    for (const FrameScore& frame : part.frames) {
      if (!frame.failed && !std::isnan(frame.virus))
        ++facts_.frames_by_score[score_bin(frame.virus)];
    }
    chunks_with_frames_ += with_frames;
  }

  void add_sequence(const SequencePart& part, const SequenceSummary& sequence) {
    count(sequence);
    const auto bin =
        std::find_if(facts_.lengths.begin(), facts_.lengths.end() - 1,
                     [&part](const LengthBin& candidate) { return part.length < candidate.below; });
    ++bin->sequences;
    // NaN cannot be sorted.
    const bool has_place = sequence.scored() && !std::isnan(sequence.max_virus_score());
    if (has_place) keep_best(hit_of(part, sequence));
  }

  void finish() {
    // In an interrupted run the last sequence may lack its end, which has its number of chunks.
    facts_.chunks = std::max(facts_.chunks, chunks_with_frames_);
    facts_.chunks_by_frames[0] = facts_.chunks - chunks_with_frames_;
    trim(facts_.lengths);
    std::sort(facts_.top_hits.begin(), facts_.top_hits.end(), is_before);
  }

 private:
  void count(const SequenceSummary& sequence) {
    facts_.counts.add(sequence);
    facts_.bases += sequence.length();
    facts_.chunks += sequence.chunks();
  }

  SequenceHit hit_of(const SequencePart& part, const SequenceSummary& sequence) const {
    return {.id = shown_text(part.id),
            .input = part.input,
            .number = facts_.counts.sequences,
            .length = sequence.length(),
            .chunks_scored = sequence.chunks_scored(),
            .virus_chunks = sequence.virus_chunks(),
            .virus_share = sequence.virus_share(),
            .max_virus_score = sequence.max_virus_score(),
            .mean_virus_score = sequence.mean_virus_score(),
            .virus = sequence.is_virus()};
  }

  // top_hits is a heap with the worst hit at its top.
  void keep_best(SequenceHit hit) {
    auto& hits = facts_.top_hits;
    if (hits.size() == ScoreFacts::kTopHits) {
      if (!is_before(hit, hits.front())) return;
      std::pop_heap(hits.begin(), hits.end(), is_before);
      hits.pop_back();
    }
    hits.push_back(std::move(hit));
    std::push_heap(hits.begin(), hits.end(), is_before);
  }

  ScoreFacts& facts_;
  std::uint64_t chunks_with_frames_ = 0;
};

}  // namespace

ScoreFacts read_scores(const Journal& journal, const CallRule& rule, const Cancel& cancel) {
  ScoreFacts facts;
  Collector collector(facts);
  walk_sequences(
      journal,
      {.rule = rule,
       .part = [&](const SequencePart& part,
                   const std::vector<ChunkScore>&) { collector.add_part(part); },
       .end = [&](const SequencePart& part,
                  const SequenceSummary& sequence) { collector.add_sequence(part, sequence); }},
      cancel);
  collector.finish();
  return facts;
}

}  // namespace virnucpro
