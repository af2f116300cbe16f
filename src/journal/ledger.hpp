#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "journal/early_scores.hpp"
#include "journal/frame_book.hpp"
#include "journal/journal.hpp"
#include "journal/journal_writer.hpp"
#include "journal/known_parts.hpp"
#include "observe/counters.hpp"

namespace virnucpro {

// Writes a run's scores to its journal. Parts of sequences come in input order, scores in any
// order. Complete units go to the journal in input order, on a separate thread. Parts that an
// earlier session has scored are compared with the journal and not written again.
class Ledger {
 public:
  // `journal` is new, or the journal of an earlier session. Every `interval` seconds the scores of
  // incomplete units are written, too. The counters must outlive the ledger.
  Ledger(Journal journal, double interval, RunCounters& counters);

  // Returns, for each input that must not have changed, the number of its parts in the journal.
  const std::map<std::uint32_t, std::uint64_t>& known_parts() const { return known_parts_; }
  // Returns the number that the next new frame will get.
  std::uint64_t next_number() const { return book_.next_number(); }
  // Adds the next part. Returns the number of its first frame (its other frames have the following
  // numbers), or nullopt if the journal already has the part's scores. Errors: kJournalMismatch if
  // the journal has another part in this place, or an earlier session read all parts of this input
  // without this part; those of Journal.
  std::optional<std::uint64_t> add(SequencePart part);
  // Returns the early score of an equal frame from an earlier session; nullopt if the frame must be
  // computed. Call it for each frame in order of number.
  std::optional<ScorePair> known_score(std::uint64_t number, const FrameTokens& tokens);
  // Keeps a frame's first score, in case the run is killed before the frame's unit is complete. A
  // first score depends on the tokens alone, so a resumed run may use it for any equal frame.
  void keep_early(std::uint64_t number, const ScorePair& scores);
  void set_score(std::uint64_t number, const ScorePair& scores);
  // Marks a frame as failed, because it could not be computed. Tables leave the frame out.
  void give_up(std::uint64_t number);
  // These return the part and the id ("id_chunk_3R1") of a frame that has no score yet.
  const SequencePart& part_of(std::uint64_t number) { return book_.part_of(number); }
  std::string id_of(std::uint64_t number) { return book_.id_of(number); }
  // True if an earlier session read this input to its end, or read more of it than this run so far.
  // If the input then cannot be read to its end, the run must end and leave the journal unchanged,
  // because an entry "failed" would hide the scores.
  bool needs_more(std::uint32_t input) { return known_.needs_more(input); }
  // Ends an input; call it after the input's last part. Errors: kJournalMismatch if the input ended
  // differently when it was scored; those of Journal.
  void end_input(std::uint32_t index, InputEntry entry);

  // Writes all scores so far and waits for the journal. Call it when a run ends early. Nothing can
  // be added afterwards.
  void save();
  // Waits until the journal has all units. Call it after the last input, when every frame has its
  // score. Errors: those of Journal.
  void end_inputs();
  void finish() { journal_.finish(); }
  // Replaces entries of the fingerprint of a finished run.
  void describe(const Journal::Fingerprint& entries) {
    journal_.describe(entries);
    journal_.finish();
  }

  const Journal& journal() const { return journal_; }
  const std::vector<InputEntry>& inputs() const { return entries_; }  // one for each ended input

 private:
  // An input's entry, which is written when `units` units of the run have gone to the writer.
  struct WaitingEntry {
    std::uint64_t units = 0;
    std::uint32_t index = 0;
    InputEntry entry{};
    std::optional<std::uint64_t> cut{};  // set if units were rewritten: how many to keep
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
  FrameBook book_;
  std::vector<InputEntry> entries_;
  std::deque<WaitingEntry> waiting_entries_;
  std::optional<std::uint32_t> begun_input_;  // the last input with new units
  std::uint64_t written_units_ = 0;
};

}  // namespace virnucpro
