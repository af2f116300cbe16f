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

// The tables written besides the three that each run has. The rule viral-ngs adds contigs.tsv.
struct MoreTables {
  bool natural_order = false;  // sort contigs.tsv by id, 2 before 10; else as read
  bool bed = false;            // write chunks.bed
};

// A user's changes to the tables that a run has.
struct TableChange {
  std::optional<bool> natural_order{};
  bool bed = false;

  MoreTables over(const MoreTables& own) const {
    return {.natural_order = natural_order.value_or(own.natural_order), .bed = bed || own.bed};
  }
};

struct TableSettings {
  RunFolder directory;  // the run's output directory
  std::string stem;     // tables go to <directory>/<stem>_merged/
  CallRule rule{};
  MoreTables more{};
  std::uint64_t chunk_size = 0;       // of the run; only contigs.tsv and chunks.bed need it
  std::vector<std::string> inputs{};  // the names of all inputs, in order
  std::size_t rows_in_sort = limits().rows_in_sort;
  // Called when all tables are on the disk, before the first gets its name.
  std::function<void()> on_ready = [] {};
};

// The chunk size of the smaller published model, in bases.
inline constexpr std::uint64_t kShortSequence = 300;

// Counts of the tables' contents.
struct TableCounts {
  std::uint64_t sequences = 0;
  std::uint64_t short_sequences = 0;  // up to kShortSequence long, not skipped
  std::uint64_t chunks = 0;           // scored or not
  std::uint64_t virus_sequences = 0;
  std::uint64_t ambiguous_sequences = 0;
  std::uint64_t chosen_sequences = 0;        // called virus, of the rule's least tier or higher
  std::uint64_t single_chunk_sequences = 0;  // with a score
  std::uint64_t unscored_sequences = 0;
  std::array<std::uint64_t, kUnscoredReasons> unscored_by_reason{};  // in the order of Unscored
  std::uint64_t chunks_scored = 0;
  std::uint64_t frames = 0;
  std::uint64_t failed_frames = 0;
  std::uint64_t duplicate_ids = 0;  // sequences with the id of an earlier one
  std::uint64_t odd_ids = 0;   // ids that printable() changes; the tables have them as they are
  std::string first_odd_id{};  // through shown_text()

  std::uint64_t others() const {
    return sequences - virus_sequences - ambiguous_sequences - unscored_sequences;
  }
  // True if the run's inputs are reads: nearly all scored sequences have one chunk.
  bool is_of_reads() const {
    const std::uint64_t scored = sequences - unscored_sequences;
    return scored > 0 && 10 * single_chunk_sequences >= 9 * scored;
  }
  // Counts everything except ids.
  void add(const SequenceSummary& sequence);
  // Counts the id if it is odd.
  void look_at(std::string_view id);
};

// Writes prediction_results.txt, prediction_results_highestscore.csv, sequences.tsv and the tables
// of `more` from the journal, without the failed inputs (semantics.md, section 6). All are complete
// and synced before the first gets its name. Memory does not grow with the run: the rows of the
// consensus table, and the ids to count duplicates, are sorted on disk in the output directory.
// Errors: kOutputWrite, kJournalDamaged, those of Cancel; after an error no table exists.
TableCounts write_tables(const Journal& journal, const TableSettings& settings,
                         const Cancel& cancel);

// Visits the sequences of the inputs that did not fail, in input order. `number` counts them from 1
// within their input, like SequenceRecord::number. `virus` is true if this rule calls the sequence
// virus and has it written.
void for_each_call(
    const Journal& journal, const CallRule& rule, const Cancel& cancel,
    const std::function<void(std::uint32_t input, std::uint64_t number, bool virus)>& visit);

// Writes failed_inputs.txt: one row per input that could not be read to its end, tab-separated,
// with the header `name error record offset message`; `record` is NA for a failure before the first
// record. If no input failed, no file is written, and an older one is removed. Control characters
// in names and messages are written as \xHH. Errors: kOutputWrite.
void write_failed_inputs(const std::vector<InputEntry>& inputs, const RunFolder& directory);

}  // namespace virnucpro
