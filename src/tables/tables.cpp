#include "tables/tables.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "tables/chunk_bed.hpp"
#include "tables/contig_table.hpp"
#include "tables/external_sort.hpp"
#include "tables/score_text.hpp"
#include "tables/sequence_walk.hpp"
#include "tables/table_columns.hpp"

namespace virnucpro {
namespace {

void write_frames(const SequencePart& part, AtomicFile& table) {
  fmt::memory_buffer rows;
  for (const FrameScore& frame : part.frames) {
    if (frame.failed) continue;
    fmt::format_to(std::back_inserter(rows), FMT_COMPILE("{}\t{}\t{}\t{}\n"),
                   frame_id(part.id, frame.chunk, frame.name),
                   frame.scores.virus > frame.scores.others ? "virus" : "others",
                   score_text(frame.scores.others), score_text(frame.scores.virus));
  }
  table.write({rows.data(), rows.size()});
}

void sort_chunks(const SequencePart& part, const std::vector<ChunkScore>& chunks,
                 ExternalSort& sort) {
  for (const ChunkScore& chunk : chunks) {
    sort.add(chunk_id(part.id, chunk.chunk), bytes_of(chunk.scores));
  }
}

void write_consensus(ExternalSort& sort, AtomicFile& table) {
  table.write(kConsensusTable.header() + "\n");
  sort.drain([&table](std::string_view id, std::string_view bytes) {
    const auto scores = value_at<ScorePair>(bytes);
    table.write(fmt::format(FMT_COMPILE("{}\t{}\t{}\t{}\n"), id,
                            is_originally_virus(scores) ? "True" : "False",
                            score_text(scores.others), score_text(scores.virus)));
  });
}

// Counts the sequences whose id occurred before. Sorts ids on disk: a set of ids could fill memory.
std::uint64_t count_duplicates(ExternalSort& ids) {
  std::uint64_t duplicates = 0;
  std::optional<std::string> before;
  ids.drain([&](std::string_view id, std::string_view) {
    if (before && *before == id) ++duplicates;
    before = id;
  });
  return duplicates;
}

std::string row(const InputEntry& input) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\n", printable(input.name), input.error,
                     input.record == 0 ? "NA" : std::to_string(input.record), input.offset,
                     printable(input.message));
}

// The inputs' names for table rows: control characters are escaped, so no name has a line end.
class InputNames {
 public:
  InputNames(const Journal& journal, const std::vector<std::string>& names)
      : journal_(journal.path()) {
    for (const std::string& name : names) names_.push_back(printable(name));
  }

  // Returns an input's name. Throws if the run has no such input, because the journal is damaged.
  const std::string& of(std::uint32_t input) const {
    if (input < names_.size()) return names_[input];
    throw Error(ErrorKind::kJournalDamaged, Place{.file = journal_.string()},
                fmt::format("a sequence belongs to input {}, but the run has no such input",
                            std::uint64_t{input} + 1));
  }

 private:
  std::filesystem::path journal_;
  std::vector<std::string> names_;
};

}  // namespace

void TableCounts::add(const SequenceSummary& sequence) {
  ++sequences;
  chunks += sequence.chunks();
  if (sequence.chunks() > 0 && sequence.length() <= kShortSequence) ++short_sequences;
  if (!sequence.scored()) {
    ++unscored_sequences;
    ++unscored_by_reason.at(static_cast<std::size_t>(sequence.why_unscored()));
  }
  if (const std::optional<std::size_t> bin = sequence.bin_of_cut_offs()) {
    if (scored_by_bin.size() <= *bin) scored_by_bin.resize(*bin + 1);
    ++scored_by_bin[*bin];
  }
  if (sequence.scored() && sequence.chunks() == 1) ++single_chunk_sequences;
  const Call call = sequence.call();
  if (call == Call::kVirus) ++virus_sequences;
  if (sequence.is_chosen()) ++chosen_sequences;
  if (call == Call::kAmbiguous) ++ambiguous_sequences;
  chunks_scored += sequence.chunks_scored();
  frames += sequence.frames();
  failed_frames += sequence.failed_frames();
}

std::string TableCounts::false_calls(const CallRule& rule) const {
  if (!rule.cut_offs()) return {};
  return false_calls_text(*rule.cut_offs(), scored_by_bin, virus_sequences);
}

void TableCounts::look_at(std::string_view id) {
  if (is_printable(id)) return;
  if (odd_ids++ == 0) first_odd_id = shown_text(id);
}

TableCounts write_tables(const Journal& journal, const TableSettings& settings,
                         const Cancel& cancel) {
  const RunFolder& run = settings.directory;
  AtomicFile frames(run.place(run_files::kFrameTable, settings.stem));
  AtomicFile consensus(run.place(run_files::kConsensusTable, settings.stem));
  AtomicFile sequences(run.place(run_files::kSequenceTable));
  std::optional<ContigTable> contigs;
  std::optional<ChunkBed> bed;
  if (settings.rule.is_viral_ngs()) {
    contigs.emplace(run.place(run_files::kContigTable), settings.chunk_size);
    if (settings.more.natural_order) contigs->sort(run.directory(), settings.rows_in_sort, cancel);
  }
  if (settings.more.bed) {
    bed.emplace(run.place(run_files::kChunkBed), settings.chunk_size, settings.rule);
  }
  TableCounts counts;
  const InputNames inputs(journal, settings.inputs);

  ExternalSort chunks(run.directory(), settings.rows_in_sort, cancel);
  ExternalSort ids(run.directory(), settings.rows_in_sort, cancel);
  frames.write(kFrameTable.header() + "\n");
  sequences.write(kSequenceTable.header() + "\n");
  walk_sequences(journal,
                 {.rule = settings.rule,
                  .part =
                      [&](const SequencePart& part, const std::vector<ChunkScore>& scores) {
                        write_frames(part, frames);
                        sort_chunks(part, scores, chunks);
                        if (contigs) contigs->add(part, scores);
                        if (bed) bed->add(part, scores);
                      },
                  .end =
                      [&](const SequencePart& last, const SequenceSummary& sequence) {
                        ids.add(last.id, {});
                        sequences.write(sequence.row(inputs.of(last.input)));
                        if (contigs) {
                          contigs->end(last, sequence.contig(), inputs.of(last.input));
                        }
                        counts.add(sequence);
                        counts.look_at(last.id);
                      }},
                 cancel);
  counts.duplicate_ids = count_duplicates(ids);  // before the larger sort, to free its file
  write_consensus(chunks, consensus);

  std::vector<AtomicFile*> tables{&frames, &consensus, &sequences};
  if (contigs) {
    contigs->finish();
    tables.push_back(&contigs->file());
  }
  if (bed) tables.push_back(&bed->file());
  for (AtomicFile* table : tables) table->sync();
  cancel.check();  // again, because syncing may have taken long
  settings.on_ready();
  for (AtomicFile* table : tables) {
    table->commit();
    log_info("wrote {}", table->path().string());
  }
  return counts;
}

void for_each_call(const Journal& journal, const CallRule& rule, const Cancel& cancel,
                   const std::function<void(std::uint32_t, std::uint64_t, bool)>& visit) {
  std::uint32_t input = 0;
  std::uint64_t number = 0;
  walk_sequences(journal,
                 {.rule = rule,
                  .part = {},
                  .end =
                      [&](const SequencePart& part, const SequenceSummary& sequence) {
                        if (part.input != input) number = 0;
                        input = part.input;
                        visit(input, ++number, sequence.is_chosen());
                      }},
                 cancel);
}

void write_failed_inputs(const std::vector<InputEntry>& inputs, const RunFolder& directory) {
  const auto failed = [](const InputEntry& input) { return input.failed; };
  if (std::none_of(inputs.begin(), inputs.end(), failed)) {
    directory.remove(run_files::kFailedInputs);
    return;
  }
  AtomicFile file(directory.place(run_files::kFailedInputs));
  file.write("name\terror\trecord\toffset\tmessage\n");
  for (const InputEntry& input : inputs) {
    if (failed(input)) file.write(row(input));
  }
  file.commit();
}

}  // namespace virnucpro
