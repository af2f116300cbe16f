#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "base/limits.hpp"
#include "journal/journal.hpp"
#include "journal/run_folder.hpp"
#include "tables/call_rule.hpp"
#include "tables/sequence_summary.hpp"

namespace virnucpro {

// Options for tables beyond the three that each run has. The rule viral-ngs adds contigs.tsv.
struct MoreTables {
  bool natural_order = false;  // sort contigs.tsv by id (2 before 10); false: input order
  bool bed = false;
};

// A user's changes to a run's MoreTables.
struct TableChange {
  std::optional<bool> natural_order{};
  bool bed = false;

  MoreTables over(const MoreTables& own) const {
    return {.natural_order = natural_order.value_or(own.natural_order), .bed = bed || own.bed};
  }
};

struct TableSettings {
  RunFolder directory;
  std::string stem;  // tables go to <directory>/<stem>_merged/
  CallRule rule{};
  MoreTables more{};
  std::uint64_t chunk_size = 0;       // needed only for contigs.tsv and chunks.bed
  std::vector<std::string> inputs{};  // the names of all inputs, in order
  std::size_t rows_in_sort = limits().rows_in_sort;
  // Called when all tables are on the disk, before the first gets its final name.
  std::function<void()> on_ready = [] {};
};

// Sequences up to this length in bases, the chunk size of the smaller published model, are short.
inline constexpr std::uint64_t kShortSequence = 300;

struct TableCounts {
  std::uint64_t sequences = 0;
  std::uint64_t short_sequences = 0;  // up to kShortSequence bases long, not skipped
  std::uint64_t chunks = 0;           // scored or not
  std::uint64_t virus_sequences = 0;
  std::uint64_t ambiguous_sequences = 0;
  std::uint64_t chosen_sequences = 0;  // called virus, with a tier of the rule's min_tier or higher
  std::uint64_t single_chunk_sequences = 0;  // scored sequences of one chunk
  std::vector<std::uint64_t>
      scored_by_bin{};  // scored sequences in each bin of the cut-offs, if any
  std::uint64_t unscored_sequences = 0;
  std::array<std::uint64_t, kUnscoredReasons> unscored_by_reason{};  // in the order of Unscored
  std::uint64_t chunks_scored = 0;
  std::uint64_t frames = 0;
  std::uint64_t failed_frames = 0;
  std::uint64_t duplicate_ids = 0;  // sequences whose id occurred before
  std::uint64_t odd_ids = 0;        // ids that printable() would change
  std::string first_odd_id{};       // as shown_text() shows it

  std::uint64_t others() const {
    return sequences - virus_sequences - ambiguous_sequences - unscored_sequences;
  }
  // True if the inputs seem to be reads: at least 90 % of the scored sequences have only one chunk.
  bool is_of_reads() const {
    const std::uint64_t scored = sequences - unscored_sequences;
    return scored > 0 && 10 * single_chunk_sequences >= 9 * scored;
  }
  // Adds a sequence to all counts except those of ids.
  void add(const SequenceSummary& sequence);
  // Returns false_calls_text(); empty for calls without cut-offs.
  std::string false_calls(const CallRule& rule) const;
  // Counts an id that printable() would change.
  void look_at(std::string_view id);
};

// Writes the tables from the journal, without the failed inputs (semantics.md, section 6):
// prediction_results.txt, prediction_results_highestscore.csv, sequences.tsv, and the tables that
// `settings` asks for. All tables are complete and synced before the first gets its final name.
// Memory does not grow with the run: the rows of prediction_results_highestscore.csv and, to count
// duplicates, the ids are sorted on disk. Errors: kOutputWrite, kTemporaryFolder, kJournalDamaged,
// those of Cancel. If a table cannot be completed, no table gets its name.
TableCounts write_tables(const Journal& journal, const TableSettings& settings,
                         const Cancel& cancel);

// Visits the sequences of the inputs that did not fail, in input order. `number` counts the
// sequences of an input from 1, like SequenceRecord::number. `virus` is true if the rule calls the
// sequence virus and its tier is high enough to be written.
void for_each_call(
    const Journal& journal, const CallRule& rule, const Cancel& cancel,
    const std::function<void(std::uint32_t input, std::uint64_t number, bool virus)>& visit);

// Writes failed_inputs.txt: one row per input that could not be read to its end, tab-separated,
// with the header `name error record offset message`. `record` is NA if the error came before the
// first record. Control characters in names and messages are written as \xHH. If no input failed,
// removes an older file instead. Errors: kOutputWrite.
void write_failed_inputs(const std::vector<InputEntry>& inputs, const RunFolder& directory);

}  // namespace virnucpro
