#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace virnucpro {

// Whether two reads of an input came to the same end, its name apart: a file may have moved.
bool ended_alike(const InputEntry& a, const InputEntry& b);
// Whether two reads of the inputs gave the same part, its scores apart.
bool is_same_part(const SequencePart& a, const SequencePart& b);

// What the journal of an interrupted run holds already, held against the inputs as they are now.
class KnownParts {
 public:
  // The journal outlives it.
  explicit KnownParts(const Journal& journal);

  // The next part of the inputs, and how an input ended: kJournalMismatch, naming journal, input
  // and sequence, when it is not what was scored.
  void check(const SequencePart& part);
  void check(std::uint32_t input, const InputEntry& entry);
  // A part that the journal does not have: kJournalMismatch when it has all of that input.
  void check_new(const SequencePart& part) const;
  // Whether the journal has that input's entry, and so all its parts: neither is written again.
  bool has(std::uint32_t input) const { return input < entries_.size(); }
  // After the last part.
  void finish();

 private:
  [[noreturn]] void fail(std::uint32_t input, const std::string& why) const;

  const Journal& journal_;
  const std::vector<InputEntry> entries_;
  PartReader parts_;
};

}  // namespace virnucpro
