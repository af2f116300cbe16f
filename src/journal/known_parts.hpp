#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace virnucpro {

// Returns an input's entry as bytes, without name and message, because a file may have moved. Two
// reads of the same content give the same bytes.
std::string end_of(const InputEntry& entry);
// True if two entries of an input are equal, apart from names and messages.
bool ended_alike(const InputEntry& a, const InputEntry& b);
// True if two parts have the same input, id, length and letters. Scores are not compared.
bool is_same_part(const SequencePart& a, const SequencePart& b);

// Compares the inputs of a resumed run with the journal of its earlier sessions. The run reads its
// inputs from the beginning, so it can be resumed even if an input is a pipe. Parts are compared in
// order by id, length and a hash of their letters. A part that the journal has is not computed
// again.
//
// An input that an earlier session read to its end, or was reading when it stopped, must not have
// changed. A failed input has no rows in any table, so it may have changed: its parts are new from
// the first difference on.
class KnownParts {
 public:
  // The journal must outlive this object, which ignores later changes of the journal.
  explicit KnownParts(const Journal& journal);

  // Returns, for each input that must not have changed, the number of its parts in the journal.
  std::map<std::uint32_t, std::uint64_t> bound_parts() const;
  // True if the journal has `part`. Call it with all parts in input order. Errors:
  // kJournalMismatch, naming journal, input and sequence, if the input has changed but must not.
  bool has(const SequencePart& part);
  // Checks the end of an input, after its last part. Errors: kJournalMismatch if an input that must
  // not have changed ended differently or too early.
  void check_end(std::uint32_t input, const InputEntry& entry);
  // True if an input must not fail now: an earlier session read it to its end or further than now.
  bool needs_more(std::uint32_t input);
  // True if an input failed earlier, and the journal has parts of it that this session has not
  // read. The input may be shorter now.
  bool has_rest(std::uint32_t input);
  // True if the journal's entry for the input equals `entry`, apart from name and message.
  bool has_entry(std::uint32_t input, const InputEntry& entry) const;

  // An input's new units begin at index `unit`. `parts` are the parts, with scores, that has()
  // found in the journal's unit of this index.
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
  // These members belong to the input that is being read.
  std::optional<std::uint32_t> input_;
  std::optional<Journal::Reader> units_;
  std::optional<Unit> unit_;  // empty: all units were read
  std::size_t next_part_ = 0;
  bool differs_ = false;  // a part was not in the journal
};

}  // namespace virnucpro
