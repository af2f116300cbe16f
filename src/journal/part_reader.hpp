#pragma once

#include <cstddef>
#include <optional>

#include "journal/journal.hpp"

namespace virnucpro {

// The parts of a journal's sequences, one after the other, whatever units they lie in.
class PartReader {
 public:
  // The journal outlives it.
  explicit PartReader(const Journal& journal) : reader_(journal.read()) {}

  std::optional<SequencePart> next();  // Errors: kJournalDamaged

 private:
  Journal::Reader reader_;
  std::optional<Unit> unit_;
  std::size_t at_ = 0;  // of the unit's parts
};

}  // namespace virnucpro
