#include "report/score_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "sequence/chunker.hpp"
#include "tables/sequence_walk.hpp"

namespace virnucpro {
namespace {

// Limits a score to the range from 0 to 1, because a damaged journal may have any score.
double score_of(float score) {
  return std::isnan(score) ? 0 : std::clamp(static_cast<double>(score), 0.0, 1.0);
}

// Returns a call's rank in the list of hits: virus, then ambiguous, then others.
int rank_of(Call call) {
  if (call == Call::kVirus) return 0;
  return call == Call::kAmbiguous ? 1 : 2;
}

std::size_t score_bin(float score) {
  const double bins = static_cast<double>(ScoreFacts::kScoreBins);
  const double bin = std::clamp(static_cast<double>(score) * bins, 0.0, bins - 1);
  return static_cast<std::size_t>(bin);
}

// Returns bins that begin at 0, 1, 2, 5, 10 …; the last ends beyond the longest allowed sequence.
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

// The order of the calls in a report.
constexpr std::array kCalls{kViralCall, kAmbiguousCall, kNonviralCall, kUnclassifiedCall};

auto tier_rank(std::string_view tier) {
  return std::ranges::find(kTiers, tier) - kTiers.begin();
}

bool is_before(const SequenceHit& a, const SequenceHit& b) {
  if (a.call != b.call) return rank_of(a.call) < rank_of(b.call);
  if (a.tier != b.tier) return tier_rank(a.tier) < tier_rank(b.tier);
  if (a.evidence != b.evidence) return a.evidence > b.evidence;
  if (a.max_virus_score != b.max_virus_score) return a.max_virus_score > b.max_virus_score;
  return a.number < b.number;
}

// Collects the scored chunks of the sequence that is being read.
class OpenSequence {
 public:
  explicit OpenSequence(const ScoreSettings& settings) : settings_(settings) {}

  void add_part(const SequencePart& part, const std::vector<ChunkScore>& chunks) {
    if (!begun_ && part.chunks > 1) map_.begin(part.length);
    begun_ = true;
    const ChunkPlan plan(part.length, settings_.chunk_size);
    for (const ChunkScore& chunk : chunks) {
      // Skip a chunk that lies beyond the sequence: the journal is damaged.
      if (chunk.chunk < plan.count()) add_chunk(plan.at(chunk.chunk), chunk, part.chunks > 1);
    }
    if (part.last) add_gap(part.length);
  }

  std::uint64_t bases_scored() const { return bases_scored_; }
  std::uint64_t gaps() const { return gaps_; }
  std::uint64_t longest_gap() const { return longest_gap_; }
  double evidence() const { return evidence_; }
  std::vector<MapStretch> map() const { return map_.stretches(); }

 private:
  void add_chunk(const Chunk& place, const ChunkScore& chunk, bool has_map) {
    add_gap(place.begin);
    const std::uint64_t fresh = std::max(place.begin, scored_end_);
    bases_scored_ += place.end - std::min(place.end, fresh);
    const double score = score_of(chunk.scores.virus);
    if (settings_.rule.is_virus_chunk(chunk.scores)) {
      const std::uint64_t first = std::max(place.begin, virus_end_);
      evidence_ += std::max(0.0, score - score_of(chunk.scores.others)) *
                   static_cast<double>(place.end - std::min(place.end, first));
      virus_end_ = std::max(virus_end_, place.end);
    }
    if (has_map) map_.add(place, fresh, score);
    scored_end_ = std::max(scored_end_, place.end);
  }

  void add_gap(std::uint64_t end) {
    if (end <= scored_end_) return;
    ++gaps_;
    longest_gap_ = std::max(longest_gap_, end - scored_end_);
  }

  const ScoreSettings& settings_;
  bool begun_ = false;
  ContigMap map_;
  std::uint64_t bases_scored_ = 0;
  std::uint64_t scored_end_ = 0;  // where the scored chunks so far end; the next chunk may overlap
  std::uint64_t virus_end_ = 0;   // where the virus chunks so far end
  std::uint64_t gaps_ = 0;
  std::uint64_t longest_gap_ = 0;
  double evidence_ = 0;
};

bool is_tier_before(const TierCount& a, const TierCount& b) {
  const auto rank = [](const TierCount& count) {
    return std::pair(std::ranges::find(kCalls, count.call), std::ranges::find(kTiers, count.tier));
  };
  return rank(a) < rank(b);
}

// Collects the facts from the journal's sequences, which must come in order.
class Collector {
 public:
  Collector(const ScoreSettings& settings, ScoreFacts& facts) : settings_(settings), facts_(facts) {
    facts_.lengths = empty_length_bins();
    open_.emplace(settings_);
  }

  void add_part(const SequencePart& part, const std::vector<ChunkScore>& chunks) {
    open_->add_part(part, chunks);
    for_each_chunk(part.frames, [this](std::span<const FrameScore> frames) {
      ++facts_.chunks_by_frames[std::min(frames.size(), ScoreFacts::kMostFrames)];
      ++chunks_with_frames_;
    });
    for (const FrameScore& frame : part.frames) {
      const float virus = frame.scores.virus;
      if (!frame.failed && !std::isnan(virus)) ++facts_.frames_by_score[score_bin(virus)];
    }
  }

  void add_sequence(const SequencePart& part, const SequenceSummary& sequence) {
    count(sequence);
    const auto bin =
        std::find_if(facts_.lengths.begin(), facts_.lengths.end() - 1,
                     [&part](const LengthBin& candidate) { return part.length < candidate.below; });
    ++bin->sequences;
    if (is_hit(sequence)) keep_best(part, sequence);
    open_.emplace(settings_);
  }

  void finish() {
    // Count at least the chunks with frames: add_sequence() counts a sequence's chunks at its last
    // part, which an interrupted run may lack.
    facts_.chunks = std::max(facts_.chunks, chunks_with_frames_);
    facts_.chunks_by_frames[0] = facts_.chunks - chunks_with_frames_;
    trim(facts_.lengths);
    std::sort(facts_.tiers.begin(), facts_.tiers.end(), is_tier_before);
    std::sort(facts_.top_hits.begin(), facts_.top_hits.end(), is_before);
  }

 private:
  // True if the sequence is written as virus, or has a virus chunk and the rule has no least tier.
  bool is_hit(const SequenceSummary& sequence) const {
    const CallRule& rule = settings_.rule;
    const bool of_all = !rule.is_viral_ngs() || rule.min_tier() == kReviewTier;
    return sequence.is_chosen() || (of_all && sequence.virus_chunks() > 0);
  }

  void count(const SequenceSummary& sequence) {
    facts_.counts.add(sequence);
    facts_.bases += sequence.length();
    facts_.chunks += sequence.chunks();
    facts_.bases_scored += open_->bases_scored();
    if (settings_.rule.is_viral_ngs()) count_tier(sequence.contig(), sequence.length());
    if (!sequence.scored()) return;
    const float score = sequence.max_virus_score();
    if (!std::isnan(score)) ++facts_.sequences_by_score[score_bin(score)];
    facts_.unscored_stretches += open_->gaps();
    facts_.unscored_bases += sequence.length() - open_->bases_scored();
    facts_.longest_unscored = std::max(facts_.longest_unscored, open_->longest_gap());
  }

  void count_tier(const ContigCall& rolled, std::uint64_t bases) {
    auto found = std::ranges::find_if(facts_.tiers, [&rolled](const TierCount& known) {
      return known.call == rolled.call && known.tier == rolled.tier;
    });
    if (found == facts_.tiers.end()) {
      found = facts_.tiers.insert(found, {.call = rolled.call, .tier = rolled.tier});
    }
    ++found->sequences;
    found->bases += bases;
  }

  // Returns a hit without its id and map, which only kept hits need.
  SequenceHit hit_of(const SequencePart& part, const SequenceSummary& sequence) const {
    const ContigCall contig =
        settings_.rule.is_viral_ngs() ? sequence.contig() : ContigCall{.call = {}, .tier = {}};
    return {.input = part.input,
            .number = facts_.counts.sequences,
            .length = sequence.length(),
            .bases_scored = open_->bases_scored(),
            .chunks_scored = sequence.chunks_scored(),
            .virus_chunks = sequence.virus_chunks(),
            .virus_share = sequence.virus_share(),
            .evidence = settings_.rule.is_viral_ngs()
                            ? static_cast<double>(open_->bases_scored()) * contig.weighted_delta
                            : open_->evidence(),
            .max_virus_score = sequence.max_virus_score(),
            .mean_virus_score = sequence.mean_virus_score(),
            .call = sequence.call(),
            .tier = contig.tier};
  }

  // Keeps the best hits. top_hits is a heap with the worst hit at its top.
  void keep_best(const SequencePart& part, const SequenceSummary& sequence) {
    SequenceHit hit = hit_of(part, sequence);
    if (std::isnan(hit.evidence + hit.max_virus_score)) return;  // NaN cannot be sorted
    ++facts_.hits;
    auto& hits = facts_.top_hits;
    if (hits.size() == ScoreFacts::kTopHits) {
      if (!is_before(hit, hits.front())) return;
      std::pop_heap(hits.begin(), hits.end(), is_before);
      hits.pop_back();
    }
    hit.id = shown_text(part.id);
    if (part.chunks > 1) hit.map = open_->map();
    hits.push_back(std::move(hit));
    std::push_heap(hits.begin(), hits.end(), is_before);
  }

  const ScoreSettings& settings_;
  ScoreFacts& facts_;
  std::optional<OpenSequence> open_;
  std::uint64_t chunks_with_frames_ = 0;
};

}  // namespace

ScoreFacts read_scores(const Journal& journal, const ScoreSettings& settings,
                       const Cancel& cancel) {
  ScoreFacts facts;
  Collector collector(settings, facts);
  walk_sequences(
      journal,
      {.rule = settings.rule,
       .part = [&](const SequencePart& part,
                   const std::vector<ChunkScore>& chunks) { collector.add_part(part, chunks); },
       .end = [&](const SequencePart& part,
                  const SequenceSummary& sequence) { collector.add_sequence(part, sequence); }},
      cancel);
  collector.finish();
  return facts;
}

}  // namespace virnucpro
