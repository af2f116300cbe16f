#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run/share_bound.hpp"

namespace virnucpro {

// A scored sequence whose origin is known.
struct LabelledScore {
  double score = 0;         // SequenceScore
  bool is_virus = false;    // its true origin
  std::uint32_t group = 0;  // sequences of one group are not independent
};

// The sequences called virus by a cut-off, and the errors that this makes.
struct CutOffFigures {
  double cut_off = 0;
  std::uint64_t found = 0;        // viruses called virus
  std::uint64_t false_calls = 0;  // others called virus
  double effective = 0;           // independent others that say as much about the share
  double bound = 0;               // the upper bound of the share of others called virus
};

// The sequences whose scores are near each other.
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

  // A point of the curves, for a cut-off at each different score, the highest first.
  struct Point {
    double cut_off = 0;
    std::uint64_t found = 0;
    std::uint64_t false_calls = 0;
  };
  std::vector<Point> points() const;
  // Returns the area under the ROC curve, by trapezoids: the chance that a virus has a higher score
  // than one of the others, a tie counted half. Empty if one of the two is missing.
  std::optional<double> roc_auc() const;
  // Returns the average precision: the precision at each score, weighted by the viruses that this
  // score adds. It depends on the share of viruses. Empty if one of the two is missing.
  std::optional<double> average_precision() const;
  CutOffFigures at(double cut_off, double confidence) const;
  // Returns the smallest score, above `least`, with which the upper bound of the share of others
  // called virus is at most `rate`; empty if no score has one. The bound holds although the score
  // is chosen by the same data: the cut-offs are tested from the highest down, up to the first that
  // fails, and each excludes all that the next one excludes (Maurer, Hothorn and Lehmacher 1995).
  // Where scores are tied, the bound of the chosen cut-off by itself would be too small because of
  // this choice. So the returned bound is that of the most false calls that keep the rate; with
  // groups it is the rate.
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
