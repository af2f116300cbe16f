#include "tables/tables.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/shown_text.hpp"
#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "tables/external_sort.hpp"
#include "tables/score_text.hpp"
#include "tables/sequence_walk.hpp"

namespace virnucpro {
namespace {

constexpr const char* kFrameHeader = "Sequence_ID\tPrediction\tscore1\tscore2\n";
constexpr const char* kConsensusHeader = "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1\n";

void write_frames(const SequencePart& part, AtomicFile& table) {
  fmt::memory_buffer rows;
  for (const FrameScore& frame : part.frames) {
    if (frame.failed) continue;
    fmt::format_to(std::back_inserter(rows), FMT_COMPILE("{}\t{}\t{}\t{}\n"),
                   frame_id(part.id, frame.chunk, frame.name),
                   frame.virus > frame.others ? "virus" : "others", score_text(frame.others),
                   score_text(frame.virus));
  }
  table.write({rows.data(), rows.size()});
}

using ChunkValue = std::array<float, 2>;  // a chunk's scores during sorting: others, virus

void sort_chunks(const SequencePart& part, const std::vector<ChunkScore>& chunks,
                 ExternalSort& sort) {
  for (const ChunkScore& chunk : chunks) {
    const ChunkValue value{chunk.others, chunk.virus};
    sort.add(chunk_id(part.id, chunk.chunk), bytes_of(value));
  }
}

void write_consensus(ExternalSort& sort, AtomicFile& table) {
  table.write(kConsensusHeader);
  sort.drain([&table](std::string_view id, std::string_view bytes) {
    const auto value = value_at<ChunkValue>(bytes);
    const ChunkScore chunk{.others = value[0], .virus = value[1]};
    table.write(fmt::format(FMT_COMPILE("{}\t{}\t{}\t{}\n"), id,
                            chunk.is_virus() ? "True" : "False", score_text(chunk.others),
                            score_text(chunk.virus)));
  });
}

// Takes sorted ids, as a set of them would grow with the run.
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

}  // namespace

void TableCounts::add(const SequenceSummary& sequence, double threshold) {
  ++sequences;
  if (!sequence.scored()) ++unscored_sequences;
  if (sequence.is_virus(threshold)) ++virus_sequences;
  chunks_scored += sequence.chunks_scored();
  frames += sequence.frames();
  failed_frames += sequence.failed_frames();
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
  TableCounts counts;

  ExternalSort chunks(run.directory(), settings.rows_in_sort, cancel);
  ExternalSort ids(run.directory(), settings.rows_in_sort, cancel);
  frames.write(kFrameHeader);
  sequences.write(SequenceSummary::kHeader);
  walk_sequences(journal,
                 {.part =
                      [&](const SequencePart& part, const std::vector<ChunkScore>& scores) {
                        write_frames(part, frames);
                        sort_chunks(part, scores, chunks);
                      },
                  .end =
                      [&](const SequencePart& last, const SequenceSummary& sequence) {
                        ids.add(last.id, {});
                        sequences.write(sequence.row(settings.threshold));
                        counts.add(sequence, settings.threshold);
                        counts.look_at(last.id);
                      }},
                 cancel);
  counts.duplicate_ids = count_duplicates(ids);  // before the consensus, as its file is smaller
  write_consensus(chunks, consensus);

  for (AtomicFile* table : {&frames, &consensus, &sequences}) table->sync();
  cancel.check();  // syncing may have taken long; from here on, all tables or a failure
  for (AtomicFile* table : {&frames, &consensus, &sequences}) table->commit();
  return counts;
}

void for_each_call(const Journal& journal, double threshold, const Cancel& cancel,
                   const std::function<void(std::uint32_t, std::uint64_t, bool)>& visit) {
  std::uint32_t input = 0;
  std::uint64_t number = 0;
  walk_sequences(journal,
                 {.part = {},
                  .end =
                      [&](const SequencePart& part, const SequenceSummary& sequence) {
                        if (part.input != input) number = 0;
                        input = part.input;
                        visit(input, ++number, sequence.is_virus(threshold));
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
