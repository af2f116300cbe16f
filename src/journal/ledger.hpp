#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"
#include "journal/journal_writer.hpp"
#include "journal/known_parts.hpp"
#include "journal/unit_log.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// A run's scores on their way into its journal. Parts of sequences come in input order, scores in
// any order. Complete units go to the journal in input order, on a thread of its own. What the
// journal of an interrupted run has already is compared with what comes, and not written again.
class Ledger {
 public:
  // The journal is new, or that of an interrupted run. The counters outlive the ledger.
  Ledger(Journal journal, RunCounters& counters);

  // The number that the next new frame gets.
  std::uint64_t next_number() const { return units_.next_number(); }
  // The next part of the inputs. Returns the number of its first frame, which the others follow;
  // empty where the journal has the part's scores. Errors: kJournalMismatch where the journal has
  // another part here, or all parts of this input; those of the journal.
  std::optional<std::uint64_t> add(SequencePart part);
  void set_score(std::uint64_t number, float others, float virus);
  // The frame could not be computed. It counts as absent.
  void give_up(std::uint64_t number);
  // The whole id of a frame that has no score yet.
  std::string id_of(std::uint64_t number) { return units_.id_of(number); }
  // All parts of this input were added. Errors: kJournalMismatch where the input ended otherwise
  // when it was scored; those of the journal.
  void end_input(std::uint32_t index, InputEntry entry);

  // For a run that ends early: returns when the journal has the leading parts that are complete.
  // Nothing can be added afterwards.
  void save();
  // After the last input: every frame must have its score. Errors: kJournalMismatch where the
  // journal has more parts than the inputs gave; those of the journal.
  void close();
  // Marks the journal as that of a finished run.
  void finish();

  const Journal& journal() const { return journal_; }
  const std::vector<InputEntry>& inputs() const { return entries_; }  // that have ended

 private:
  struct WaitingEntry {
    std::uint32_t index = 0;
    InputEntry entry{};
    std::uint64_t parts = 0;  // of its input and those before
  };

  void write(Unit unit);
  void write_entries();

  RunCounters& counters_;
  Journal journal_;
  KnownParts known_;
  JournalWriter writer_;
  UnitLog units_;
  std::vector<InputEntry> entries_;
  std::deque<WaitingEntry> waiting_entries_;
  const std::uint64_t known_parts_;
  std::uint64_t parts_ = 0;      // that were added
  std::uint64_t written_parts_;  // that the writer has
};

}  // namespace virnucpro
