#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/cancel.hpp"
#include "journal/journal.hpp"
#include "tables/sequence_summary.hpp"

namespace virnucpro {

// What a walk over a journal reports, sequence by sequence in input order.
struct SequenceVisitor {
  // Each part, with the scores of its chunks; several for a sequence longer than a unit.
  std::function<void(const SequencePart&, const std::vector<ChunkScore>&)> part;
  // After a sequence's last part.
  std::function<void(const SequencePart& last, const SequenceSummary&)> end;
};

// Walks the sequences of the inputs that did not fail. Either function may be empty.
// Errors: kJournalDamaged, also for a sequence whose parts do not follow each other; Cancel's.
void walk_sequences(const Journal& journal, const SequenceVisitor& visitor, const Cancel& cancel);

}  // namespace virnucpro
