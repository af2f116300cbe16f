#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "tables/sequence_summary.hpp"

namespace virnucpro {

// Receives the sequences of a journal in input order.
struct SequenceVisitor {
  CallRule rule{};  // the summaries make calls by this rule
  // Called with each part and its scored chunks. A sequence longer than a unit has several parts.
  std::function<void(const SequencePart&, const std::vector<ChunkScore>&)> part;
  // Called after a sequence's last part.
  std::function<void(const SequencePart& last, const SequenceSummary&)> end;
};

// Calls `visitor` for the sequences of the inputs that did not fail. `part` and `end` may be empty.
// Errors: kJournalDamaged, also if a sequence's parts do not follow each other; those of Cancel.
void walk_sequences(const Journal& journal, const SequenceVisitor& visitor, const Cancel& cancel);

}  // namespace virnucpro
