#include "run/export.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "journal/run_files.hpp"
#include "run/call_files.hpp"
#include "run/input_check.hpp"
#include "run/model_advice.hpp"
#include "run/output_directory.hpp"
#include "run/run_fingerprint.hpp"
#include "run/sequence_rereader.hpp"
#include "sequence/input_set.hpp"
#include "tables/sequence_walk.hpp"
#include "tables/tables.hpp"

namespace virnucpro {
namespace {

// The run's inputs, or where they lie now.
InputSettings inputs_of(const KeptRun& run, const ExportSettings& settings) {
  InputSettings inputs;
  inputs.longest_id = kLongestAllowedId;  // the run has accepted them
  const std::uint64_t count = parse_count(run.value("inputs")).value_or(0);
  inputs.paths = settings.inputs;
  if (inputs.paths.empty()) {
    for (std::size_t k = 0; k < count; ++k) inputs.paths.push_back(run.value(input_path_key(k)));
  } else if (inputs.paths.size() != count) {
    throw Error(ErrorKind::kUsage, fmt::format("--inputs names {} files, and the run read {}",
                                               inputs.paths.size(), count));
  }
  inputs.paired = run.value("paired") == "true";
  inputs.reference = run.value("reference");
  inputs.refuse_rna = entry_of(run.fingerprint(), kRefusesRnaKey) == "true";
  inputs.qualities = !settings.viruses.fastq.empty();
  return inputs;
}

void require_files(const InputSettings& inputs) {
  if (!has_pipe(inputs)) return;
  throw Error(ErrorKind::kUsage, "the run read a pipe: its sequences cannot be read again");
}

FrameStreamSettings cutting_of(const KeptRun& run) {
  const auto chunk_size = chunk_size_of(run.fingerprint());
  const auto min_length = parse_count(run.value("min_length"));
  if (!chunk_size || !min_length) {
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
  walk_sequences(journal,
                 {.rule = {},
                  .part = {},
                  .end = [&count](const SequencePart&, const SequenceSummary&) { ++count; }},
                 cancel);
  return count;
}

std::string partial_text(const Journal& journal, const Cancel& cancel) {
  return fmt::format(
      "The run that these tables are from did not finish: {} sequences and {} of its inputs are "
      "in\n"
      "its journal so far. virnucpro predict --resume goes on with it.\n",
      count_sequences(journal, cancel), journal.inputs().size());
}

void mark_partial(const RunFolder& directory, const std::string& text) {
  AtomicFile mark(directory.place(run_files::kPartialMark));
  mark.write(text);
  mark.commit();
}

// The files of sequences called virus, complete but without their names; null if none is wanted.
// Only they read the inputs: whether these are still the run's is known before any other file
// changes.
std::unique_ptr<VirusFiles> virus_files(const KeptRun& run, const ExportSettings& settings,
                                        const CallRule& rule, const RunFolder& directory,
                                        const Cancel& cancel) {
  if (!settings.viruses.any()) return nullptr;
  const InputSettings inputs = inputs_of(run, settings);
  require_fastq_place(settings.viruses, inputs);
  auto files =
      std::make_unique<VirusFiles>(settings.viruses, directory.place(run_files::kVirusFasta),
                                   inputs.paired, input_names_of(run.journal()));
  try {
    SequenceRereader(inputs, cutting_of(run), directory).write(run.journal(), rule, *files, cancel);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInputMissing) throw;
    Error missing(error);
    missing.advise("If it lies elsewhere now, say where: export RUN_DIR --inputs FILE…");
    throw Error(missing);
  }
  return files;
}

// Writes the tables into a directory that is locked. When all that can fail is done, `make_room`
// removes what they replace.
ExportSummary write_run(const KeptRun& run, const CallRule& rule, const MoreTables& more,
                        const RunFolder& directory, const std::function<void()>& make_room,
                        const Cancel& cancel) {
  const Journal& journal = run.journal();
  const std::string stem = run.value("stem");  // make_room may change the run
  ExportSummary summary;
  summary.finished = journal.finished();
  summary.synthetic = is_synthetic(run.fingerprint());
  const std::string partial = summary.finished ? "" : partial_text(journal, cancel);
  const TableSettings tables{.directory = directory,
                             .stem = stem,
                             .rule = rule,
                             .more = more,
                             .chunk_size = cutting_of(run).chunk_size,
                             .inputs = input_names_of(journal),
                             .on_ready = [&] {
                               make_room();
                               // If the export is killed now, its tables must not stand without
                               // them.
                               mark_synthetic(directory, run.fingerprint());
                               if (!partial.empty()) mark_partial(directory, partial);
                             }};
  summary.counts = write_tables(journal, tables, cancel);
  summary.advice = model_advice(run.fingerprint(), summary.counts);
  summary.inputs = journal.inputs();
  write_failed_inputs(summary.inputs, directory);
  summary.tables = run_files::kTableFolder.in(directory.path(), stem);
  return summary;
}

// What is asked for, and what was written in `folder` (if it stays): that is written anew, also
// where an export was stopped after it had removed it. The run's own roll-up gives the numbers that
// are not given, wherever its table lies.
MoreTables tables_to_write(const KeptRun& run, const TableChange& change, const RunFolder* folder) {
  MoreTables own{.bed = folder != nullptr && folder->has_written(run_files::kChunkBed)};
  if (change.rollup || (folder != nullptr && folder->has_written(run_files::kContigTable))) {
    own.rollup = rollup_of(run.fingerprint());
    own.natural_order = is_sorted_naturally(run.fingerprint());
  }
  return change.over(own);
}

ExportSummary write_in_place(KeptRun& run, const ExportSettings& settings, const Cancel& cancel) {
  run.lock();
  const RunFolder own(run.directory());
  own.require_names(run.value("stem"));
  const CallRule before = rule_of(run.fingerprint());
  const CallRule rule = settings.rule.over(before);
  const std::unique_ptr<VirusFiles> viruses = virus_files(run, settings, rule, own, cancel);
  const bool had_reports = own.has_written(run_files::kReportHtml);
  const MoreTables more = tables_to_write(run, settings.tables, &own);
  const auto make_room = [&] {
    remove_call_files(own, rule == before);
    if (rule != before || more.rollup != rollup_of(run.fingerprint()) ||
        more.natural_order != is_sorted_naturally(run.fingerprint())) {
      run.describe(rule_entries(rule, more), cancel);
    }
  };
  ExportSummary summary = write_run(run, rule, more, own, make_room, cancel);
  if (viruses) viruses->commit();
  if (settings.on_tables) settings.on_tables(run.journal(), summary, own);
  if (had_reports && settings.on_reports) settings.on_reports(run.journal(), own);
  return summary;
}

}  // namespace

ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel) {
  KeptRun run(settings.run, cancel, settings.check);
  const std::filesystem::path output =
      settings.output.empty() ? default_output(run) : settings.output;
  if (settings.viruses.any()) {
    require_files(inputs_of(run, settings));
  } else if (!settings.inputs.empty()) {
    throw Error(ErrorKind::kUsage, "--inputs: only --virus-fasta and --virus-fastq read inputs");
  }
  std::error_code other;
  if (std::filesystem::equivalent(output, run.directory(), other)) {
    if (!run.journal().finished()) {
      throw Error(ErrorKind::kOutputExists, Place{.file = output.string()},
                  "its run did not finish, and its tables must not look as if it had");
    }
    return write_in_place(run, settings, cancel);
  }
  const OutputDirectory directory(output, run.value("stem"),
                                  settings.force ? Existing::kReplace : Existing::kRefuse);
  InputSettings kept = inputs_to_keep(run.fingerprint());
  kept.paths.insert(kept.paths.end(), settings.inputs.begin(), settings.inputs.end());
  require_inputs_kept(kept, directory);
  directory.clear_leftovers();
  const CallRule rule = settings.rule.over(rule_of(run.fingerprint()));
  const MoreTables more = tables_to_write(run, settings.tables, nullptr);
  const std::unique_ptr<VirusFiles> viruses =
      virus_files(run, settings, rule, directory.files(), cancel);
  ExportSummary summary = write_run(
      run, rule, more, directory.files(), [&directory] { directory.clear_complete(); }, cancel);
  if (viruses) viruses->commit();
  return summary;
}

}  // namespace virnucpro
