#include "run/labelled_scores.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace virnucpro {
namespace {

// Counts the others called virus while the cut-off goes down, and bounds the share of such others.
class FalseCalls {
 public:
  // `others_in_group` is empty if the sequences are independent.
  FalseCalls(std::uint64_t others, const std::vector<std::uint64_t>& others_in_group)
      : others_(others), others_in_group_(others_in_group), called_(others_in_group.size()) {
    for (const std::uint64_t size : others_in_group) {
      if (size > 0) grouped_.add_group(size);
    }
  }

  void add(std::uint32_t group) {
    ++count_;
    if (!called_.empty()) grouped_.count_one(called_[group]++, others_in_group_[group]);
  }
  std::uint64_t count() const { return count_; }
  double effective(double confidence) const {
    return called_.empty() || others_ == 0 ? static_cast<double>(others_)
                                           : grouped_.effective(confidence);
  }
  double bound(double confidence) const {
    if (others_ == 0) return 1;
    if (!called_.empty()) return grouped_.upper_bound(confidence);
    return upper_bound_of_share(static_cast<double>(count_), static_cast<double>(others_),
                                confidence);
  }

 private:
  std::uint64_t others_;
  std::uint64_t count_ = 0;
  const std::vector<std::uint64_t>& others_in_group_;
  std::vector<std::uint64_t> called_;  // by group
  GroupedShare grouped_;
};

}  // namespace

LabelledScores::LabelledScores(std::vector<LabelledScore> scores, bool with_groups)
    : scores_(std::move(scores)) {
  std::ranges::sort(scores_, std::ranges::greater(), &LabelledScore::score);
  for (const LabelledScore& one : scores_) {
    if (one.is_virus) ++viruses_;
    if (one.is_virus || !with_groups) continue;
    if (one.group >= others_in_group_.size()) others_in_group_.resize(one.group + std::size_t{1});
    if (others_in_group_[one.group]++ == 0) ++groups_of_others_;
  }
  if (!with_groups) groups_of_others_ = others();
}

std::vector<LabelledScores::Point> LabelledScores::points() const {
  std::vector<Point> points;
  Point at;
  for (std::size_t k = 0; k < scores_.size(); ++k) {
    at.cut_off = scores_[k].score;
    ++(scores_[k].is_virus ? at.found : at.false_calls);
    const bool is_last = k + 1 == scores_.size() || scores_[k + 1].score != at.cut_off;
    if (is_last) points.push_back(at);
  }
  return points;
}

std::optional<double> LabelledScores::roc_auc() const {
  if (viruses_ == 0 || others() == 0) return std::nullopt;
  double area = 0;
  Point before;
  for (const Point& point : points()) {
    const auto width = static_cast<double>(point.false_calls - before.false_calls);
    area += width * static_cast<double>(point.found + before.found) / 2;
    before = point;
  }
  return area / static_cast<double>(viruses_) / static_cast<double>(others());
}

std::optional<double> LabelledScores::average_precision() const {
  if (viruses_ == 0 || others() == 0) return std::nullopt;
  double sum = 0;
  Point before;
  for (const Point& point : points()) {
    const auto found = static_cast<double>(point.found);
    const double precision = found / (found + static_cast<double>(point.false_calls));
    sum += (found - static_cast<double>(before.found)) * precision;
    before = point;
  }
  return sum / static_cast<double>(viruses_);
}

CutOffFigures LabelledScores::at(double cut_off, double confidence) const {
  CutOffFigures figures{.cut_off = cut_off};
  FalseCalls calls(others(), others_in_group_);
  for (const LabelledScore& one : scores_) {
    if (one.score < cut_off) break;
    if (one.is_virus) {
      ++figures.found;
    } else {
      calls.add(one.group);
    }
  }
  figures.false_calls = calls.count();
  figures.effective = calls.effective(confidence);
  figures.bound = calls.bound(confidence);
  return figures;
}

std::optional<CutOffFigures> LabelledScores::smallest(double rate, double confidence,
                                                      double least) const {
  std::optional<CutOffFigures> best;
  CutOffFigures figures;
  FalseCalls calls(others(), others_in_group_);
  for (std::size_t k = 0; k < scores_.size() && scores_[k].score > least; ++k) {
    if (scores_[k].is_virus) {
      ++figures.found;
    } else {
      calls.add(scores_[k].group);
    }
    figures.cut_off = scores_[k].score;
    if (k + 1 < scores_.size() && scores_[k + 1].score == figures.cut_off) continue;
    if (figures.bound == 0 || calls.count() != figures.false_calls) {
      figures.false_calls = calls.count();
      figures.effective = calls.effective(confidence);
      figures.bound = calls.bound(confidence);
    }
    if (figures.bound > rate) break;
    best = figures;
  }
  if (!best) return best;
  best->bound = rate;
  if (!others_in_group_.empty()) return best;
  const auto bound_of = [&](std::uint64_t count) {
    return upper_bound_of_share(static_cast<double>(count), static_cast<double>(others()),
                                confidence);
  };
  std::uint64_t most = best->false_calls;
  while (bound_of(most + 1) <= rate) ++most;
  best->bound = bound_of(most);
  return best;
}

std::vector<ReliabilityBin> LabelledScores::reliability(double from, double to,
                                                        std::size_t bins) const {
  std::vector<ReliabilityBin> found(bins);
  const double width = (to - from) / static_cast<double>(bins);
  for (const LabelledScore& one : scores_) {
    const double place = std::clamp((one.score - from) / width, 0.0, static_cast<double>(bins - 1));
    ReliabilityBin& bin = found[static_cast<std::size_t>(place)];
    ++(one.is_virus ? bin.viruses : bin.others);
    bin.mean_score += one.score;
  }
  for (ReliabilityBin& bin : found) {
    const std::uint64_t count = bin.viruses + bin.others;
    if (count > 0) bin.mean_score /= static_cast<double>(count);
  }
  return found;
}

}  // namespace virnucpro
