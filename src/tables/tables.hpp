#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/cancel.hpp"
#include "base/limits.hpp"
#include "journal/journal.hpp"

namespace virnucpro {

class SequenceSummary;

struct TableSettings {
  std::filesystem::path directory;  // the run's output directory
  std::string stem;                 // tables go to <directory>/<stem>_merged/
  double threshold = 0.5;           // of virus chunks over scored chunks
  std::size_t rows_in_sort = limits().rows_in_sort;
};

// <directory>/<stem>_merged/prediction_results.txt: a row a frame.
std::filesystem::path frame_table_path(const std::filesystem::path& directory,
                                       const std::string& stem);

// What the tables say, in numbers.
struct TableCounts {
  std::uint64_t sequences = 0;
  std::uint64_t virus_sequences = 0;
  std::uint64_t unscored_sequences = 0;
  std::uint64_t chunks_scored = 0;
  std::uint64_t frames = 0;
  std::uint64_t failed_frames = 0;
  std::uint64_t duplicate_ids = 0;  // sequences whose id an earlier one had

  // All but the duplicate ids.
  void add(const SequenceSummary& sequence, double threshold);
};

// Writes prediction_results.txt, prediction_results_highestscore.csv and sequences.tsv from the
// journal, leaving out failed inputs (docs/reference/semantics.md, section 6). All three are
// complete and synced before the first gets its name. Memory does not grow with the run: the
// consensus table and the ids, among which duplicates are counted, are sorted on disk, in the
// output directory. Errors: kOutputWrite, kJournalDamaged, Cancel's; then none of them is there.
TableCounts write_tables(const Journal& journal, const TableSettings& settings,
                         const Cancel& cancel);

// Goes through the sequences of the inputs that did not fail, in input order: `number` counts them
// from 1 within their input, as SequenceRecord::number does; `virus` is what sequences.tsv calls
// them at this threshold.
void for_each_call(
    const Journal& journal, double threshold, const Cancel& cancel,
    const std::function<void(std::uint32_t input, std::uint64_t number, bool virus)>& visit);

}  // namespace virnucpro
