#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "base/limits.hpp"
#include "journal/journal.hpp"
#include "journal/run_folder.hpp"

namespace virnucpro {

class SequenceSummary;

inline constexpr double kDefaultThreshold = 0.5;

struct TableSettings {
  RunFolder directory;                   // the run's output directory
  std::string stem;                      // tables go to <directory>/<stem>_merged/
  double threshold = kDefaultThreshold;  // of virus chunks per scored chunk
  std::size_t rows_in_sort = limits().rows_in_sort;
};

// What the tables say, in numbers.
struct TableCounts {
  std::uint64_t sequences = 0;
  std::uint64_t virus_sequences = 0;
  std::uint64_t unscored_sequences = 0;
  std::uint64_t chunks_scored = 0;
  std::uint64_t frames = 0;
  std::uint64_t failed_frames = 0;
  std::uint64_t duplicate_ids = 0;  // sequences with the id of an earlier one
  std::uint64_t odd_ids = 0;   // ids that printable() changes; the tables have them as they are
  std::string first_odd_id{};  // through shown_text()

  // Counts everything but ids.
  void add(const SequenceSummary& sequence, double threshold);
  // Counts an id that is odd.
  void look_at(std::string_view id);
};

// Writes prediction_results.txt, prediction_results_highestscore.csv and sequences.tsv from the
// journal, without the failed inputs (semantics.md, section 6). All three are complete and synced
// before the first gets its name. Memory does not grow with the run: the rows of the consensus
// table, and the ids to count duplicates, are sorted on disk in the output directory. Errors:
// kOutputWrite, kJournalDamaged, Cancel's; then none of them exists.
TableCounts write_tables(const Journal& journal, const TableSettings& settings,
                         const Cancel& cancel);

// Visits the sequences of the inputs that did not fail, in input order. `number` counts them from 1
// within their input, like SequenceRecord::number; `virus` is the verdict of sequences.tsv at this
// threshold.
void for_each_call(
    const Journal& journal, double threshold, const Cancel& cancel,
    const std::function<void(std::uint32_t input, std::uint64_t number, bool virus)>& visit);

// Writes failed_inputs.txt: one row per input that could not be read to its end, tab-separated,
// with the header `name error record offset message`; `record` is NA for a failure before the first
// record. If no input failed, no file is written, and an older one is removed. Control characters
// in names and messages are written as \xHH. Errors: kOutputWrite.
void write_failed_inputs(const std::vector<InputEntry>& inputs, const RunFolder& directory);

}  // namespace virnucpro
