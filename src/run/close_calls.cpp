#include "run/close_calls.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "tables/score_text.hpp"

namespace virnucpro {
namespace {

// Returns e^value. Computes in x87's long double, which gives the same bits on every x86 processor.
double exp_of(double value) {
  return static_cast<double>(std::exp(static_cast<long double>(value)));
}

// True if |ln(a / b)| ≤ ln(factor). Uses no logarithm, whose last bits depend on the processor.
bool within(double a, double b, double factor) {
  return a <= factor * b && b <= factor * a;
}

// Scores from kSaturated on (logit 13.9) are so near 1 that different logits give one fp32 score.
constexpr float kSaturated = 1 - 1.0F / (1U << 20U);

// Larger than |ln x| of every positive finite fp32 number x.
constexpr double kLargestLogit = 104;

// Returns the least and the greatest value of √|d| (d − t) for d in the chunk's range. Each is at
// an end of the range, at 0 (a cusp) or at t / 3 (a turning point).
std::pair<double, double> weighted_range(const CallMargin::Difference& chunk, double t) {
  const auto weighted = [&](double at) {
    const double d = std::clamp(at, chunk.least, chunk.most);
    return std::sqrt(std::abs(d)) * (d - t);
  };
  return std::minmax({weighted(chunk.least), weighted(chunk.most), weighted(0), weighted(t / 3)});
}

bool is_finite(const ScorePair& scores) {
  return std::isfinite(scores.others) && std::isfinite(scores.virus);
}

}  // namespace

CallMargin::CallMargin(double margin, const CallRule& rule)
    : rule_(rule), logits_(margin), one_(exp_of(margin)), two_(exp_of(2 * margin)) {
  const double threshold = rule.viral_ngs().min_weighted_delta;
  weighted_deltas_ = {threshold, -threshold};
  if (rule.min_score() > 0) least_scores_.push_back(rule.min_score());
  if (!rule.cut_offs()) return;
  for (const BinCutOff& bin : rule.cut_offs()->bins) {
    if (!bin.cut_off) continue;
    (rule.is_viral_ngs() ? weighted_deltas_ : least_scores_).push_back(*bin.cut_off);
  }
}

bool CallMargin::is_close(std::span<const ScorePair> frames) const {
  if (!std::ranges::all_of(frames, is_finite)) return true;
  const ScorePair& most = *std::ranges::max_element(frames, {}, &ScorePair::virus);
  const ScorePair& least = *std::ranges::max_element(frames, {}, &ScorePair::others);
  if (most.virus >= kSaturated && least.others >= kSaturated) return true;
  // In double the product of two fp32 numbers is exact.
  const double virus = static_cast<double>(most.virus) * static_cast<double>(least.virus);
  const double others = static_cast<double>(most.others) * static_cast<double>(least.others);
  if (within(virus, others, two_)) return true;
  return std::ranges::any_of(least_scores_, [&](double least_score) {
    return within(static_cast<double>(most.virus) * (1 - least_score),
                  static_cast<double>(most.others) * least_score, one_);
  });
}

double CallMargin::distance(std::span<const ScorePair> frames) const {
  const double most = logit_of(*std::ranges::max_element(frames, {}, &ScorePair::virus));
  const double least = logit_of(*std::ranges::max_element(frames, {}, &ScorePair::others));
  double distance = std::abs(most + least) / 2;
  for (const double score : least_scores_) {
    if (score < 1) distance = std::min(distance, std::abs(most - std::log(score / (1 - score))));
  }
  return distance;
}

CallMargin::Difference CallMargin::difference(std::span<const ScorePair> frames,
                                              bool is_final) const {
  const ScorePair& most = *std::ranges::max_element(frames, {}, &ScorePair::virus);
  const ScorePair& least = *std::ranges::max_element(frames, {}, &ScorePair::others);
  // Returns score `a` after its logit moved by ln(factor); `b` is the other score.
  const auto moved = [](double a, double b, double factor) {
    return a * factor / (a * factor + b);
  };
  const double up = is_final ? 1 : one_;
  const double down = 1 / up;
  return {.least = moved(most.virus, most.others, down) - moved(least.others, least.virus, up),
          .most = moved(most.virus, most.others, up) - moved(least.others, least.virus, down)};
}

bool CallMargin::is_close_contig(std::span<const Difference> chunks) const {
  for (const double t : weighted_deltas_) {
    double least_sum = 0;
    double most_sum = 0;
    for (const Difference& chunk : chunks) {
      const auto [least, most] = weighted_range(chunk, t);
      least_sum += least;
      most_sum += most;
    }
    if (least_sum <= 0 && most_sum >= 0 && least_sum < most_sum) return true;
  }
  return false;
}

std::size_t CallMargin::reached(std::span<const ScorePair> frames) const {
  const ScorePair scores = std::reduce(frames.begin(), frames.end(), frames.front(), highest);
  if (!rule_.is_virus_chunk(scores)) return 0;
  if (!rule_.cut_offs()) return 1;
  const double virus = printed_score(scores.virus);
  return 1 + static_cast<std::size_t>(std::ranges::count_if(
                 least_scores_, [virus](double least) { return virus >= least; }));
}

double logit_of(const ScorePair& scores) {
  const double logit =
      std::log(static_cast<double>(scores.virus) / static_cast<double>(scores.others));
  return std::clamp(logit, -kLargestLogit, kLargestLogit);
}

std::vector<ScorePair> CloseCalls::scores_of(std::span<const Frame> frames) {
  std::vector<ScorePair> scores;
  for (const Frame& frame : frames) {
    if (frame.scored) scores.push_back(frame.scores);
  }
  return scores;
}

CloseCalls::CloseCalls(const CallMargin& margin, double shadow_share, RunCounters& counters,
                       Sinks sinks)
    : margin_(margin),
      counters_(counters.close_calls),
      shadow_counters_(counters.shadow),
      sinks_(std::move(sinks)) {
  if (shadow_share > 0) shadow_.emplace(shadow_share, margin.logits(), counters.shadow);
}

void CloseCalls::add(std::uint64_t number, const SequencePart& part,
                     std::span<const FrameTokens> tokens, bool whole) {
  std::shared_ptr<Contig> contig;
  if (whole && margin_.calls_contigs()) contig = std::make_shared<Contig>();
  for_each_chunk(part.frames, [&](std::span<const FrameScore> frames) {
    Chunk& chunk = chunks_.emplace_hint(chunks_.end(), number, Chunk{})->second;
    chunk.name = hash128(part.id, frames[0].chunk);
    chunk.contig = contig;
    if (contig) chunk.place = contig->waiting++;
    chunk.waiting = frames.size();
    for (const FrameTokens& frame : tokens.first(frames.size())) {
      chunk.frames.push_back({.tokens = frame});
    }
    tokens = tokens.subspan(frames.size());
    number += frames.size();
  });
  if (contig) contig->differences.resize(contig->waiting);
}

void CloseCalls::score(std::uint64_t number, const ScorePair& scores,
                       std::span<const float> embedding) {
  const Place place = find(number);
  const Chunk& chunk = place.chunk->second;
  if (chunk.stratum != ShadowCheck::kNone) {
    place.frame.shadow = scores;
    if (!place.frame.embedding.empty() && !embedding.empty()) {
      shadow_counters_.embeddings.add(place.frame.embedding, embedding);
    }
    return answer(place);
  }
  place.frame.scores = scores;
  place.frame.scored = true;
  if (!chunk.checking && shadow_ && shadow_->may_choose(chunk.name)) {
    place.frame.embedding.assign(embedding.begin(), embedding.end());
  }
  answer(place);
}

void CloseCalls::fail(std::uint64_t number) {
  const Place place = find(number);
  if (!is_finite(place.frame.scores)) place.frame.scored = false;
  answer(place);
}

bool CloseCalls::is_again(std::uint64_t number) {
  const Place place = find(number);
  return place.chunk->second.checking && is_finite(place.frame.scores);
}

bool CloseCalls::is_shadow(std::uint64_t number) {
  return find(number).chunk->second.stratum != ShadowCheck::kNone;
}

CloseCalls::Place CloseCalls::find(std::uint64_t number) {
  const auto chunk = std::prev(chunks_.upper_bound(number));
  return {.chunk = chunk, .frame = chunk->second.frames.at(number - chunk->first)};
}

void CloseCalls::answer(const Place& place) {
  Chunk& chunk = place.chunk->second;
  if (--chunk.waiting > 0) return;
  if (!chunk.checking) return decide(place.chunk);
  if (chunk.contig) return add_to_contig(place.chunk, true);
  hand_on(place.chunk);
}

void CloseCalls::decide(Chunks::iterator chunk) {
  const std::vector<ScorePair> scores = scores_of(chunk->second.frames);
  if (!scores.empty()) counters_.chunks.add();
  if (!scores.empty() && margin_.is_close(scores)) return compute_again(chunk, scores);
  if (chunk->second.contig) return add_to_contig(chunk, scores.empty());
  if (scores.empty()) return hand_on(chunk);
  choose_shadow(chunk, scores);
}

void CloseCalls::compute_again(Chunks::iterator chunk, std::span<const ScorePair> scores) {
  if (std::ranges::all_of(scores, is_finite)) chunk->second.reached = margin_.reached(scores);
  counters_.recomputed.add();
  check(chunk, counters_.frames, counters_.esm_tokens);
}

// Passes on a chunk with final scores, and keeps any other chunk until its contig is decided.
void CloseCalls::add_to_contig(Chunks::iterator chunk, bool is_final) {
  const std::shared_ptr<Contig> contig = std::exchange(chunk->second.contig, nullptr);
  const std::vector<ScorePair> scores = scores_of(chunk->second.frames);
  if (!scores.empty()) {
    contig->differences[chunk->second.place] = margin_.difference(scores, is_final);
  }
  if (is_final) {
    hand_on(chunk);
  } else {
    contig->held.push_back(chunk);
  }
  if (--contig->waiting == 0) decide_contig(*contig);
}

void CloseCalls::decide_contig(Contig& contig) {
  const bool is_close = margin_.is_close_contig(contig.differences);
  for (const Chunks::iterator chunk : std::exchange(contig.held, {})) {
    const std::vector<ScorePair> scores = scores_of(chunk->second.frames);
    if (is_close) {
      compute_again(chunk, scores);
    } else {
      choose_shadow(chunk, scores);
    }
  }
}

void CloseCalls::choose_shadow(Chunks::iterator chunk, std::span<const ScorePair> scores) {
  if (shadow_) {
    chunk->second.stratum = shadow_->choose(margin_.distance(scores), chunk->second.name);
  }
  if (chunk->second.stratum == ShadowCheck::kNone) return hand_on(chunk);
  Counter frames;  // unused: ShadowCounters::logits counts the frames
  check(chunk, frames, shadow_counters_.esm_tokens);
}

void CloseCalls::check(Chunks::iterator chunk, Counter& frames, Counter& esm_tokens) {
  chunk->second.checking = true;
  for (std::size_t i = 0; i < chunk->second.frames.size(); ++i) {
    Frame& frame = chunk->second.frames[i];
    if (!frame.scored) continue;
    frames.add();
    esm_tokens.add(frame.tokens.esm.size());
    ++chunk->second.waiting;
    sinks_.recompute(std::move(frame.tokens), chunk->first + i);
  }
}

// Records a chunk's shadow check, unless one of its frames could not be computed again.
void CloseCalls::compare(const Chunk& chunk) {
  std::vector<ScorePair> coarse;
  std::vector<ScorePair> fine;
  for (const Frame& frame : chunk.frames) {
    if (!frame.scored) continue;
    if (!frame.shadow || !is_finite(*frame.shadow)) return;
    coarse.push_back(frame.scores);
    fine.push_back(*frame.shadow);
  }
  const auto logits = [](const std::vector<ScorePair>& scores) {
    std::vector<double> found(scores.size());
    std::ranges::transform(scores, found.begin(), logit_of);
    return found;
  };
  shadow_->record(chunk.stratum, margin_.reached(coarse) != margin_.reached(fine), logits(coarse),
                  logits(fine));
}

void CloseCalls::hand_on(Chunks::iterator chunk) {
  if (chunk->second.stratum != ShadowCheck::kNone) compare(chunk->second);
  for (std::size_t i = 0; i < chunk->second.frames.size(); ++i) {
    const Frame& frame = chunk->second.frames[i];
    if (frame.scored) {
      sinks_.on_final(chunk->first + i, frame.scores);
    } else {
      sinks_.on_missing(chunk->first + i);
    }
  }
  const std::optional<std::size_t> before = chunk->second.reached;
  if (before && margin_.reached(scores_of(chunk->second.frames)) != *before) {
    counters_.changed.add();
  }
  chunks_.erase(chunk);
}

}  // namespace virnucpro
