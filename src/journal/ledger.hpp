#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "journal/early_scores.hpp"
#include "journal/journal.hpp"
#include "journal/journal_writer.hpp"
#include "journal/known_parts.hpp"
#include "journal/unit_log.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// Writes a run's scores to its journal. Parts of sequences come in input order, scores in any
// order. Complete units go to the journal in input order, on a separate thread. Parts that the
// journal of an earlier session already has are compared, and not written again.
class Ledger {
 public:
  // `journal` is new, or the journal of an earlier session. Scores of a unit that is not complete
  // are written after `interval` seconds. The counters must outlive the ledger.
  Ledger(Journal journal, double interval, RunCounters& counters);

  // Returns the number of each input's leading parts in the journal that must be the same now.
  const std::map<std::uint32_t, std::uint64_t>& known_parts() const { return known_parts_; }
  // Returns the number of the next new frame.
  std::uint64_t next_number() const { return units_.next_number(); }
  // Adds the next part of the inputs. Returns the number of its first frame (the others follow it),
  // or nothing if the journal already has the part's scores. Errors: kJournalMismatch if the
  // journal has another part here, or had all parts of this input already; those of Journal.
  std::optional<std::uint64_t> add(SequencePart part);
  // Returns the frame's score if an earlier session gave it to keep_early() and did not complete
  // the unit; empty if the frame has to be computed. Call it for each frame in order of number.
  std::optional<EarlyScore> known_score(std::uint64_t number, const FrameTokens& tokens);
  // Keeps a frame's first score, in case the run is killed before the frame's unit is complete. A
  // first score depends on the tokens alone, so a resumed run may give it to any equal frame.
  void keep_early(std::uint64_t number, float others, float virus);
  void set_score(std::uint64_t number, float others, float virus);
  // Marks a frame that could not be computed. It counts as absent.
  void give_up(std::uint64_t number);
  // Returns the whole id of a frame that has no score yet.
  std::string id_of(std::uint64_t number) { return units_.id_of(number); }
  // True if the run must end when this input cannot be read to its end: the journal has more of it,
  // and an entry "failed" would hide its scores. Nothing in the journal may change then.
  bool needs_more(std::uint32_t input) { return known_.needs_more(input); }
  // Call it after all parts of this input. Errors: kJournalMismatch if the input ended differently
  // when it was scored; those of Journal.
  void end_input(std::uint32_t index, InputEntry entry);

  // Call it when a run ends early. Waits until the journal has all scores so far. Nothing can be
  // added afterwards.
  void save();
  // Call it after the last input, when every frame has its score. Errors: those of Journal.
  void end_inputs();
  // Marks the run in the journal as finished.
  void finish() { journal_.finish(); }
  // Replaces entries of the fingerprint of a finished run.
  void describe(const Journal::Fingerprint& entries) {
    journal_.describe(entries);
    journal_.finish();
  }

  const Journal& journal() const { return journal_; }
  const std::vector<InputEntry>& inputs() const { return entries_; }  // of inputs that ended

 private:
  // An input's entry, written once the first `units` units have gone to the writer.
  struct WaitingEntry {
    std::uint64_t units = 0;
    std::uint32_t index = 0;
    InputEntry entry{};
    std::optional<std::uint64_t> cut{};  // the input's number of units, if these were begun anew
  };

  void begin_units(std::uint32_t input);
  void write(Unit unit);
  void write_entries();

  RunCounters& counters_;
  Journal journal_;
  KnownParts known_;
  const std::map<std::uint32_t, std::uint64_t> known_parts_;
  JournalWriter writer_;
  EarlyScores early_;
  UnitLog units_;
  std::vector<InputEntry> entries_;
  std::deque<WaitingEntry> waiting_entries_;
  std::optional<std::uint32_t> begun_input_;  // the last input with new units
  std::uint64_t written_units_ = 0;           // units given to the writer
};

}  // namespace virnucpro
