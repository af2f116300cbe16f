#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace virnucpro {

// Whether two reads of an input ended alike. Names may differ: a file may have moved.
bool ended_alike(const InputEntry& a, const InputEntry& b);
// Whether two reads of the inputs gave the same part. Scores are not compared.
bool is_same_part(const SequencePart& a, const SequencePart& b);

// Compares the inputs as they are now with what the journal of an interrupted run holds.
class KnownParts {
 public:
  // The journal must outlive it.
  explicit KnownParts(const Journal& journal);

  // Checks the next part of the inputs, or an input's end. Errors: kJournalMismatch, naming
  // journal, input and sequence, when the journal has something else.
  void check(const SequencePart& part);
  void check(std::uint32_t input, const InputEntry& entry);
  // For a part that is not in the journal: kJournalMismatch when its input is complete there.
  void check_new(const SequencePart& part) const;
  // Whether the journal has this input's entry, and so all its parts; neither is written again.
  bool has(std::uint32_t input) const { return input < entries_.size(); }
  // Call it after the last part. Errors: as above.
  void end_inputs();

 private:
  [[noreturn]] void fail(std::uint32_t input, const std::string& why) const;

  const Journal& journal_;
  const std::vector<InputEntry> entries_;
  PartReader parts_;
};

}  // namespace virnucpro
