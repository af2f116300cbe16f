#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run/share_bound.hpp"

namespace virnucpro {

// A scored sequence whose origin is known.
struct LabelledScore {
  double score = 0;         // SequenceScore::value()
  bool is_virus = false;    // its true origin
  std::uint32_t group = 0;  // sequences of one group are not independent
};

// How many sequences a cut-off calls virus, and how many of these calls are false.
struct CutOffFigures {
  double cut_off = 0;
  std::uint64_t found = 0;        // viruses called virus
  std::uint64_t false_calls = 0;  // others called virus
  double effective = 0;           // effective number of others: GroupedShare::effective()
  double bound = 0;               // the upper bound of the share of others called virus
};

// The sequences whose scores are in one range.
struct ReliabilityBin {
  std::uint64_t viruses = 0;
  std::uint64_t others = 0;
  double mean_score = 0;
};

// Labelled scores, sorted, and the figures of all cut-offs. A sequence is called virus if its score
// is at least the cut-off.
class LabelledScores {
 public:
  // `with_groups` false: every sequence is a group of its own, whatever its `group`.
  LabelledScores(std::vector<LabelledScore> scores, bool with_groups);

  std::uint64_t viruses() const { return viruses_; }
  std::uint64_t others() const { return scores_.size() - viruses_; }
  std::uint64_t groups_of_others() const { return groups_of_others_; }

  // A point of the ROC and precision curves. points() has one per different score, highest first.
  struct Point {
    double cut_off = 0;
    std::uint64_t found = 0;
    std::uint64_t false_calls = 0;
  };
  std::vector<Point> points() const;
  // Returns the area under the ROC curve, by trapezoids: the chance that a virus has a higher score
  // than one of the others, a tie counted half. Empty without viruses or without others.
  std::optional<double> roc_auc() const;
  // Returns the average precision: the precision at each score, weighted by the viruses that this
  // score adds. It depends on the share of viruses. Empty without viruses or without others.
  std::optional<double> average_precision() const;
  CutOffFigures at(double cut_off, double confidence) const;
  // Returns the smallest score above `least` that, as a cut-off, keeps the upper bound of the share
  // of others called virus at or below `rate`; empty if there is none. The bound holds although the
  // same data choose the score, because the cut-offs are tested in a fixed order: from the highest
  // down to the first that fails (Maurer, Hothorn and Lehmacher 1995); a cut-off calls fewer
  // sequences virus than all later ones. If scores are tied, the chosen cut-off's own bound would
  // be too small because of this choice. So the returned bound is that of the largest number of
  // false calls that keeps the rate; with groups it is the rate.
  std::optional<CutOffFigures> smallest(double rate, double confidence, double least) const;
  // Returns bins of equal width between two scores; scores beyond are in the first and last bin.
  std::vector<ReliabilityBin> reliability(double from, double to, std::size_t bins) const;

 private:
  std::vector<LabelledScore> scores_;           // the highest first
  std::vector<std::uint64_t> others_in_group_;  // by group; empty without groups
  std::uint64_t viruses_ = 0;
  std::uint64_t groups_of_others_ = 0;
};

}  // namespace virnucpro
