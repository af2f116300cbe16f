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

// Takes a run's scores into its journal. Parts of sequences come in input order, scores in any
// order. Complete units go to the journal in input order, on a separate thread. Parts that the
// journal of an interrupted run already has are compared, and not written again.
class Ledger {
 public:
  // The journal is new, or an interrupted run's. The counters must outlive the ledger.
  Ledger(Journal journal, RunCounters& counters);

  // The number of the next new frame.
  std::uint64_t next_number() const { return units_.next_number(); }
  // Adds the next part of the inputs. Returns the number of its first frame (the others follow it),
  // or nothing where the journal already has the part's scores. Errors: kJournalMismatch where the
  // journal has another part here, or all parts of this input; the journal's own.
  std::optional<std::uint64_t> add(SequencePart part);
  void set_score(std::uint64_t number, float others, float virus);
  // The frame could not be computed. It counts as absent.
  void give_up(std::uint64_t number);
  // The whole id of a frame that has no score yet.
  std::string id_of(std::uint64_t number) { return units_.id_of(number); }
  // Call it after all parts of this input. Errors: kJournalMismatch where the input ended
  // differently when it was scored; the journal's own.
  void end_input(std::uint32_t index, InputEntry entry);

  // For a run that ends early: waits until the journal has all complete parts before the first
  // incomplete one. Nothing can be added afterwards.
  void save();
  // Call it after the last input, when every frame has its score. Errors: kJournalMismatch where
  // the journal has more parts than the inputs; the journal's own.
  void end_inputs();
  // Marks the run in the journal as finished.
  void finish();

  const Journal& journal() const { return journal_; }
  const std::vector<InputEntry>& inputs() const { return entries_; }  // ended ones only

 private:
  struct WaitingEntry {
    std::uint32_t index = 0;
    InputEntry entry{};
    std::uint64_t parts = 0;  // of its input and all before it
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
  std::uint64_t parts_ = 0;      // added so far
  std::uint64_t written_parts_;  // handed to the writer
};

}  // namespace virnucpro
