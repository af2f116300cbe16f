#include "report/score_differences.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "journal/journal.hpp"
#include "tables/sequence_summary.hpp"

namespace virnucpro {
namespace {

struct Sequence {
  std::string id;
  SequenceSummary summary;
};

// Reads the sequences of the inputs that did not fail.
class SequenceReader {
 public:
  explicit SequenceReader(const ScoredRun& run)
      : parts_(run.journal), inputs_(run.journal.inputs()), rule_(run.rule) {}

  // Returns the next complete sequence; empty at the journal's end, even inside a sequence.
  std::optional<Sequence> next() {
    Sequence sequence{.id = {}, .summary = SequenceSummary(rule_)};
    while (const std::optional<SequencePart> part = parts_.next()) {
      if (part->input < inputs_.size() && inputs_[part->input].failed) continue;
      sequence.summary.add(*part, scored_chunks(*part));
      if (!part->last) continue;
      sequence.id = part->id;
      return sequence;
    }
    return std::nullopt;
  }

 private:
  PartReader parts_;
  const std::vector<InputEntry> inputs_;
  const CallRule rule_;
};

double difference(const SequenceSummary& a, const SequenceSummary& b) {
  const auto apart = [](float x, float y) {
    return std::abs(static_cast<double>(x) - static_cast<double>(y));
  };
  return std::max(apart(a.max_virus_score(), b.max_virus_score()),
                  apart(a.mean_virus_score(), b.mean_virus_score()));
}

void count_difference(double size, ScoreDifferences& result) {
  result.largest = std::max(result.largest, size);
  if (size == 0) {
    ++result.equal;
    return;
  }
  const auto& bounds = ScoreDifferences::kBounds;
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), size);
  ++result.by_bound[static_cast<std::size_t>(bound - bounds.begin())];
}

bool is_same_sequence(const Sequence& a, const Sequence& b) {
  return a.id == b.id && a.summary.length() == b.summary.length();
}

}  // namespace

ScoreDifferences compare_scores(const ScoredRun& first, const ScoredRun& other,
                                const Cancel& cancel) {
  SequenceReader first_reader(first);
  SequenceReader other_reader(other);
  ScoreDifferences result;
  while (true) {
    cancel.check();
    const std::optional<Sequence> a = first_reader.next();
    const std::optional<Sequence> b = other_reader.next();
    if (!a && !b) return result;
    if (!a || !b || !is_same_sequence(*a, *b)) {
      result.parted = result.compared + 1;
      return result;
    }
    ++result.compared;
    const bool both = a->summary.scored() && b->summary.scored();
    if (a->summary.scored() != b->summary.scored()) ++result.scored_once;
    if (both) count_difference(difference(a->summary, b->summary), result);
    if (a->summary.call() != b->summary.call()) ++result.other_calls;
  }
}

}  // namespace virnucpro
