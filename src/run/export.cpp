#include "run/export.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "journal/run_files.hpp"
#include "run/input_check.hpp"
#include "run/output_directory.hpp"
#include "run/run_fingerprint.hpp"
#include "run/virus_fasta.hpp"
#include "sequence/input_set.hpp"
#include "tables/sequence_walk.hpp"
#include "tables/tables.hpp"

namespace virnucpro {
namespace {

InputSettings inputs_of(const KeptRun& run) {
  InputSettings inputs;
  inputs.longest_id = kLongestHeader;  // the run has accepted them
  const std::uint64_t count = parse_count(run.value("inputs")).value_or(0);
  for (std::size_t k = 0; k < count; ++k) inputs.paths.push_back(run.value(input_path_key(k)));
  inputs.paired = run.value("paired") == "true";
  inputs.reference = run.value("reference");
  if (!has_pipe(inputs)) return inputs;
  throw Error(ErrorKind::kUsage, "the run read a pipe: its sequences cannot be read again");
}

FrameStreamSettings cutting_of(const KeptRun& run) {
  const auto chunk_size = parse_count(run.value("chunk_size"));
  const auto min_length = parse_count(run.value("min_length"));
  if (!chunk_size || *chunk_size == 0 || !min_length) {
    throw Error(ErrorKind::kJournalDamaged, Place{.file = run.directory().string()},
                "its fingerprint does not say how sequences were cut");
  }
  return {
      .chunk_size = *chunk_size, .min_length = *min_length, .shard = shard_of(run.fingerprint())};
}

std::filesystem::path default_output(const KeptRun& run) {
  if (run.journal().finished()) return run.directory();
  std::filesystem::path own = std::filesystem::absolute(run.directory()).lexically_normal();
  if (!own.has_filename()) own = own.parent_path();
  return run_files::kPartialExport.in(own.parent_path(), own.filename().string());
}

std::uint64_t count_sequences(const Journal& journal, const Cancel& cancel) {
  std::uint64_t count = 0;
  walk_sequences(
      journal,
      {.part = {}, .end = [&count](const SequencePart&, const SequenceSummary&) { ++count; }},
      cancel);
  return count;
}

void mark_partial(const RunFolder& directory, const Journal& journal, const Cancel& cancel) {
  AtomicFile mark(directory.place(run_files::kPartialMark));
  mark.write(
      fmt::format("The run that these tables are from did not finish: {} sequences and {} of its "
                  "inputs are in\n"
                  "its journal so far. virnucpro predict --resume goes on with it.\n",
                  count_sequences(journal, cancel), journal.inputs().size()));
  mark.commit();
}

// Writes the tables into a directory that is locked.
ExportSummary write_run(const KeptRun& run, const ExportSettings& settings,
                        const std::optional<InputSettings>& viruses_of, const RunFolder& directory,
                        const Cancel& cancel) {
  const Journal& journal = run.journal();
  const double threshold = settings.threshold.value_or(threshold_of(run.fingerprint()));
  const std::string& stem = run.value("stem");
  ExportSummary summary;
  summary.finished = journal.finished();
  summary.synthetic = is_synthetic(run.fingerprint());
  // Marks first: if the export is killed meanwhile, its tables must not stand without them.
  mark_synthetic(directory, run.fingerprint());
  if (!summary.finished) mark_partial(directory, journal, cancel);
  summary.counts =
      write_tables(journal, {.directory = directory, .stem = stem, .threshold = threshold}, cancel);
  if (viruses_of) {
    SequenceRereader(*viruses_of, cutting_of(run), directory)
        .write(journal, threshold, directory.place(run_files::kVirusFasta), cancel);
  }
  summary.inputs = journal.inputs();
  write_failed_inputs(summary.inputs, directory);
  summary.tables = run_files::kTableFolder.in(directory.path(), stem);
  return summary;
}

}  // namespace

ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel) {
  KeptRun run(settings.run, cancel);
  const std::filesystem::path output =
      settings.output.empty() ? default_output(run) : settings.output;
  std::optional<InputSettings> viruses_of;
  if (settings.virus_fasta) viruses_of = inputs_of(run);
  std::error_code other;
  if (std::filesystem::equivalent(output, run.directory(), other)) {
    if (!run.journal().finished()) {
      throw Error(ErrorKind::kOutputExists, Place{.file = output.string()},
                  "its run did not finish, and its tables must not look as if it had");
    }
    run.lock();
    const RunFolder own(output);
    own.require_names(run.value("stem"));
    return write_run(run, settings, viruses_of, own, cancel);
  }
  const OutputDirectory directory(output, run.value("stem"),
                                  settings.force ? Existing::kReplace : Existing::kRefuse);
  directory.clear();
  return write_run(run, settings, viruses_of, directory.files(), cancel);
}

}  // namespace virnucpro
