#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace virnucpro {

// Returns, as bytes, everything that two complete reads of an input must have in common. The name
// is left out, because a file may have moved.
std::string end_of(const InputEntry& entry);
// True if two reads of an input ended alike.
bool ended_alike(const InputEntry& a, const InputEntry& b);
// True if two reads of the inputs gave the same part. Scores are not compared.
bool is_same_part(const SequencePart& a, const SequencePart& b);

// Compares the inputs as they are now with the journal of an earlier session of the run. A resumed
// run reads its inputs from the beginning, so a pipe can be resumed, too. Parts are compared by id,
// length, place and a hash of their letters, and known parts are not computed again.
//
// An input that the earlier session read to its end, or was reading, must be the same now. An input
// that could not be read, or was damaged, has no rows in any table, so it may change: its parts are
// new from the first difference on.
class KnownParts {
 public:
  // The journal must outlive this object, which does not see later changes of the journal.
  explicit KnownParts(const Journal& journal);

  // Returns the number of leading parts of each input that must be the same now.
  std::map<std::uint32_t, std::uint64_t> bound_parts() const;
  // True if the journal has the next part of its input. Parts come in input order. Errors:
  // kJournalMismatch, naming journal, input and sequence, if the part must be the same but differs.
  bool has(const SequencePart& part);
  // Call it once all parts of an input have come. Errors: kJournalMismatch if the input ended
  // differently, or too early.
  void check_end(std::uint32_t input, const InputEntry& entry);
  // True if the input must not fail now: the journal has more of its parts, which must be the same.
  bool needs_more(std::uint32_t input);
  // True if the journal has parts of the input that did not come, and need not come.
  bool has_rest(std::uint32_t input);
  // True if the journal has an equal entry for the input.
  bool has_entry(std::uint32_t input, const InputEntry& entry) const;

  // The place where new units of the input begin: the number of the first new unit, and the parts
  // that has() found in the journal's unit of that number, with their scores.
  struct Rest {
    std::uint64_t unit = 0;
    std::vector<SequencePart> parts;
  };
  Rest rest(std::uint32_t input);

 private:
  void enter(std::uint32_t input);
  const SequencePart* next();
  const InputEntry* entry_of(std::uint32_t input) const;
  bool is_bound(std::uint32_t input) const;
  [[noreturn]] void fail(std::uint32_t input, const std::string& why) const;

  const Journal& journal_;
  const std::vector<InputEntry> entries_;
  const Journal::Extents extents_;
  // The state of the input whose parts are coming.
  std::optional<std::uint32_t> input_;
  std::optional<Journal::Reader> units_;
  std::optional<Unit> unit_;   // empty: all units were read
  std::size_t next_part_ = 0;  // index into the unit's parts
  bool differs_ = false;       // a part came that the journal does not have
};

}  // namespace virnucpro
