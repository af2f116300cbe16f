#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "journal/unit.hpp"
#include "models/score_pair.hpp"
#include "observe/counters.hpp"
#include "run/shadow_check.hpp"
#include "tables/call_rule.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// Measures by how much logits, ln(virus / others), must change to change a chunk's call. A chunk's
// logit is the mean of the highest and the lowest logit of its frames. If it is 0 or more, the
// chunk is called virus. If each frame's logit has an error of at most x, a chunk's call can change
// only if its logit is within x of 0. With a least virus score t (CallRule::min_score, or a cut-off
// of the rule majority), the call can also change if the highest logit is within x of ln(t / (1 −
// t)).
class CallMargin {
 public:
  // `margin` is in logits, from 0 to kMost.
  CallMargin(double margin, const CallRule& rule);

  double logits() const { return logits_; }

  // True if logit errors up to the margin can change a chunk's call. Also true if a score is not
  // finite, or if the highest virus score and the highest other score are both within 2^-20 of 1.
  // `frames` must not be empty.
  bool is_close(std::span<const ScorePair> frames) const;
  // Returns 0 if the chunk is no virus chunk, else 1 plus the number of cut-offs that it reaches.
  std::size_t reached(std::span<const ScorePair> frames) const;
  // Returns the smallest error of logits that can change the chunk's call. All scores must be
  // finite. The last bits of the result depend on the processor.
  double distance(std::span<const ScorePair> frames) const;

  // The range, within the margin, of a chunk's highest virus score minus its highest other score.
  // If the scores are final, both ends are equal.
  struct Difference {
    double least = 0;
    double most = 0;
  };
  Difference difference(std::span<const ScorePair> frames, bool is_final) const;
  // True if differences within these ranges can change the contig's call by viral-ngs. A contig's
  // weighted_delta is above t if the sum of √|d| (d − t), over the differences d of its chunks, is
  // above 0. The function adds up the least and the greatest value of each chunk's term.
  bool is_close_contig(std::span<const Difference> chunks) const;
  bool calls_contigs() const { return rule_.is_viral_ngs(); }

  static constexpr double kMost = 100;

 private:
  CallRule rule_;
  std::vector<double> least_scores_{};     // least scores of virus chunks; all above 0
  std::vector<double> weighted_deltas_{};  // thresholds and cut-offs of contigs
  double logits_;
  double one_;  // e^margin
  double two_;  // e^(2 · margin)
};

// Returns ln(virus / others), limited to ±104, because a score may be rounded to 0.
double logit_of(const ScorePair& scores);

// Decides which chunks are computed again in the check precision. The object keeps a chunk's scores
// until all its frames have scores. If the call is close, the whole chunk is computed again, and
// only the new scores are passed on. By the rule viral-ngs, a sequence whose call is close is
// computed again, too. A sequence in several parts is not, because a resumed run may see only some
// of the parts. The choice depends only on scores of the same sequence, not on batches, order,
// shards or resumes. A shadow check computes other chunks again to compare scores; these chunks
// keep their first scores.
class CloseCalls {
 public:
  struct Sinks {
    // Receives the final scores of a frame.
    std::function<void(std::uint64_t number, const ScorePair& scores)> on_final;
    // Receives a frame that could not be computed.
    std::function<void(std::uint64_t number)> on_missing;
    // Asks for a frame's scores in the check precision. The caller answers with score() or fail().
    std::function<void(FrameTokens tokens, std::uint64_t number)> recompute;
  };

  // The counters must outlive this object. With `shadow_share` 0 there is no shadow check.
  CloseCalls(const CallMargin& margin, double shadow_share, RunCounters& counters, Sinks sinks);

  // Adds the frames of a part of a sequence: some chunks, or all chunks if `whole`. `number` is the
  // first frame's number.
  void add(std::uint64_t number, const SequencePart& part, std::span<const FrameTokens> tokens,
           bool whole);
  // Sets a frame's scores: the first ones, which may be NaN or infinite, or those of recompute().
  // `embedding` is the frame's ESM-2 embedding for the shadow check; empty if unknown.
  void score(std::uint64_t number, const ScorePair& scores, std::span<const float> embedding = {});
  // Marks a frame whose first or second computation failed. Finite first scores are kept.
  void fail(std::uint64_t number);
  // True if the frame has finite scores and is computed again.
  bool is_again(std::uint64_t number);
  // True if the frame is computed again only for comparison.
  bool is_shadow(std::uint64_t number);

 private:
  struct Frame {
    FrameTokens tokens;
    ScorePair scores{};
    bool scored = false;
    std::optional<ScorePair> shadow{};  // scores in the check precision
    std::vector<float> embedding{};     // first embedding, kept while the shadow check may need it
  };
  struct Contig;
  struct Chunk {
    std::vector<Frame> frames;
    std::shared_ptr<Contig> contig{};  // set until the chunk is added to its contig
    std::size_t place = 0;             // index among the contig's chunks
    Hash128 name{};                    // hash of the sequence's id and the chunk's index
    std::size_t waiting = 0;           // number of frames that wait for scores
    bool checking = false;
    std::size_t stratum = ShadowCheck::kNone;  // set while the shadow check computes the chunk
    std::optional<std::size_t> reached{};      // reached() of the first scores, if finite
  };
  using Chunks = std::map<std::uint64_t, Chunk>;  // by the number of the first frame
  struct Contig {
    std::vector<CallMargin::Difference> differences{};  // by chunk
    std::vector<Chunks::iterator> held{};  // chunks that wait for the contig's decision
    std::size_t waiting = 0;               // number of chunks without scores
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
