#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "journal/unit.hpp"
#include "observe/counters.hpp"
#include "run/shadow_check.hpp"
#include "tables/call_rule.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// The two scores of a frame, which add up to 1.
struct ScorePair {
  float others = 0;
  float virus = 0;
};

// How close a chunk's call is to the other one, in logits, ln(virus / others). A chunk of one frame
// has the logit of its frame; one of several has the mean of the highest and the lowest logit of
// its frames: it is called virus where that is not negative. So errors of up to x in every frame's
// logit change no call that is further than x from 0 and, with a least virus score t
// (CallRule::min_score), whose highest logit is further than x from ln(t / (1 − t)).
class CallMargin {
 public:
  // `margin` from 0 to kMost, in logits.
  CallMargin(double margin, const CallRule& rule);

  double logits() const { return logits_; }

  // Whether the call of a chunk, which has a frame, is at most the margin away from the other one.
  // One with a score that is not finite is, and one whose highest scores are both 1 but for 2^-20.
  bool is_close(std::span<const ScorePair> frames) const;
  bool is_virus(std::span<const ScorePair> frames) const;
  // How far the call is from the other one, in logits; all scores must be finite. Its last bits
  // depend on the processor.
  double distance(std::span<const ScorePair> frames) const;

  // Where a chunk's difference virus − others lies, by its first scores or, where `is_final`, those
  // that it has been computed again with.
  struct Difference {
    double least = 0;
    double most = 0;
  };
  Difference difference(std::span<const ScorePair> frames, bool is_final) const;
  // Whether some differences within these ranges give the contig another call by viral-ngs: its
  // weighted_delta is above t where the sum of √|d| (d − t) over its chunks is above 0, and the
  // least and the greatest such sum are known chunk by chunk.
  bool is_close_contig(std::span<const Difference> chunks) const;
  bool calls_contigs() const { return rule_.is_viral_ngs(); }

  static constexpr double kMost = 100;

 private:
  CallRule rule_;
  double logits_;
  double one_;  // e to the margin
  double two_;  // and to twice the margin
};

// ln(virus / others), within what scores in fp32 can tell.
double logit_of(const ScorePair& scores);

// Holds the scores of a chunk's frames back until it has all of them. If its call then is close,
// all its frames are computed once more, in the run's check precision, and those scores are handed
// on. By the rule viral-ngs so are, once all chunks of a sequence have scores, those of one whose
// call is close. A sequence that comes in several parts is left out: a resumed run may have only
// some of them. What is handed on depends on nothing but the sequence's frames. With a shadow check
// some of the others are computed again, too, and compared; they keep their scores.
class CloseCalls {
 public:
  struct Sinks {
    // The final scores of a frame.
    std::function<void(std::uint64_t number, const ScorePair& scores)> on_final;
    // A frame that has none.
    std::function<void(std::uint64_t number)> on_missing;
    // To be answered by score() or fail().
    std::function<void(FrameTokens tokens, std::uint64_t number)> recompute;
  };

  // The counters must outlive it. `shadow_share`: as ShadowCheck's; 0: no shadow check.
  CloseCalls(const CallMargin& margin, double shadow_share, RunCounters& counters, Sinks sinks);

  // The frames of a part of sequence `id`, which has whole chunks, or is the `whole` sequence;
  // `number` is that of the first.
  void add(std::uint64_t number, std::string_view id, std::span<const FrameScore> frames,
           std::span<const FrameTokens> tokens, bool whole);
  // A frame's scores, in the run's own precision, which need not be finite, or as the answer to
  // recompute(). With a shadow check, ESM-2's embedding with them, where it is known.
  void score(std::uint64_t number, const ScorePair& scores, std::span<const float> embedding = {});
  // The frame could not be computed, or not again: then it keeps its first scores, if they are
  // finite.
  void fail(std::uint64_t number);
  // Whether the frame has scores and is computed again.
  bool is_again(std::uint64_t number);
  // Whether it is computed again only to be compared.
  bool is_shadow(std::uint64_t number);

 private:
  struct Frame {
    FrameTokens tokens;
    ScorePair scores{};
    bool scored = false;
    std::optional<ScorePair> shadow{};  // in the check precision
    std::vector<float> embedding{};     // the first one, while the shadow check may want it
  };
  struct Contig;
  struct Chunk {
    std::vector<Frame> frames;
    std::shared_ptr<Contig> contig{};  // while that has no call
    std::size_t place = 0;             // among its chunks
    Hash128 name{};                    // of the sequence's id and the chunk's place in it
    std::size_t waiting = 0;           // frames without an answer
    bool checking = false;
    std::size_t stratum = ShadowCheck::kNone;  // while it is computed for the shadow check
    std::optional<bool> was_virus{};           // by its first scores, if they were all finite
  };
  using Chunks = std::map<std::uint64_t, Chunk>;  // by the number of the first frame
  struct Contig {
    std::vector<CallMargin::Difference> differences{};  // by chunk
    std::vector<Chunks::iterator> held{};               // with their first scores
    std::size_t waiting = 0;                            // chunks without their scores
  };

  struct Place {
    Chunks::iterator chunk;
    Frame& frame;
  };
  static std::vector<ScorePair> scores_of(std::span<const Frame> frames);
  Place find(std::uint64_t number);
  void answer(const Place& place);
  void decide(Chunks::iterator chunk);
  void compute_again(Chunks::iterator chunk, std::span<const ScorePair> scores);
  void add_to_contig(Chunks::iterator chunk, bool is_final);
  void decide_contig(Contig& contig);
  void choose_shadow(Chunks::iterator chunk, std::span<const ScorePair> scores);
  void check(Chunks::iterator chunk, Counter& frames, Counter& esm_tokens);
  void compare(const Chunk& chunk);
  void hand_on(Chunks::iterator chunk);

  CallMargin margin_;
  CloseCallCounters& counters_;
  ShadowCounters& shadow_counters_;
  std::optional<ShadowCheck> shadow_;
  Sinks sinks_;
  Chunks chunks_;
};

}  // namespace virnucpro
