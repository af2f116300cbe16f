#include "run/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <system_error>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "journal/run_files.hpp"
#include "run/call_files.hpp"
#include "run/fastq_record.hpp"
#include "run/input_check.hpp"
#include "run/model_advice.hpp"
#include "run/output_directory.hpp"
#include "run/run_fingerprint.hpp"
#include "run/sequence_rereader.hpp"
#include "sequence/input_set.hpp"
#include "sequence/open_input.hpp"
#include "tables/sequence_walk.hpp"
#include "tables/tables.hpp"

namespace virnucpro {
namespace {

// Returns the run's inputs at their present paths.
InputSettings inputs_of(const KeptRun& run, const ExportSettings& settings,
                        const VirusOutputs& viruses) {
  InputSettings inputs;
  inputs.longest_id = kLongestAllowedId;  // the run has accepted its ids
  const std::uint64_t count = parse_count(run.value("inputs")).value_or(0);
  inputs.paths = settings.inputs;
  if (inputs.paths.empty()) {
    for (std::size_t k = 0; k < count; ++k) inputs.paths.push_back(run.value(input_path_key(k)));
  } else if (inputs.paths.size() != count) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--inputs names {} files, but the run read {}: name all of them, in the run's "
                    "order",
                    inputs.paths.size(), count));
  }
  inputs.paired = run.value("paired") == "true";
  inputs.reference = run.value("reference");
  inputs.refuse_rna = entry_of(run.fingerprint(), kRefusesRnaKey) == "true";
  inputs.qualities = !viruses.fastq.empty();
  return inputs;
}

void require_files(const InputSettings& inputs) {
  const auto pipe = std::ranges::find_if(
      inputs.paths, [](const std::string& path) { return has_pipe({.paths = {path}}); });
  if (pipe == inputs.paths.end()) return;
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--virus-fasta and --virus-fastq read the inputs again, but {} is a pipe, "
                  "which can be read only once",
                  display_name(*pipe)))
      .advised("Save the same sequences in a file, and name this file with --inputs.");
}

void require_inputs_wanted(const ExportSettings& settings, const VirusOutputs& viruses) {
  if (settings.inputs.empty() || viruses.any()) return;
  throw Error(ErrorKind::kUsage,
              "--inputs: only --virus-fasta and --virus-fastq read inputs; give one of the two, or "
              "leave --inputs out");
}

FrameStreamSettings cutting_of(const KeptRun& run) {
  const auto chunk_size = chunk_size_of(run.fingerprint());
  const auto min_length = parse_count(run.value("min_length"));
  if (!chunk_size || !min_length) {
    throw Error(
        ErrorKind::kJournalDamaged, Place{.file = run.directory().string()},
        fmt::format("its settings have no valid {}", chunk_size ? "min_length" : "chunk_size"));
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
      "These tables are of a run that did not finish: its journal has {} sequences and {}\n"
      "complete inputs so far. virnucpro predict --resume continues the run.\n",
      count_sequences(journal, cancel), journal.inputs().size());
}

void mark_partial(const RunFolder& directory, const std::string& text) {
  AtomicFile mark(directory.place(run_files::kPartialMark));
  mark.write(text);
  mark.commit();
}

// Writes the files of sequences called virus, without their final names; null if no file is wanted.
// Call it before any other file changes: only this function reads the inputs, and an input may have
// changed.
std::unique_ptr<VirusFiles> virus_files(const KeptRun& run, const ExportSettings& settings,
                                        const VirusOutputs& viruses, const CallRule& rule,
                                        const RunFolder& directory, const Cancel& cancel) {
  if (!viruses.any()) return nullptr;
  const InputSettings inputs = inputs_of(run, settings, viruses);
  require_fastq_place(viruses, inputs);
  auto files = std::make_unique<VirusFiles>(viruses, directory.place(run_files::kVirusFasta),
                                            inputs.paired, input_names_of(run.journal()));
  try {
    require_files(inputs);
    SequenceRereader(inputs, cutting_of(run), directory).write(run.journal(), rule, *files, cancel);
  } catch (const Error& error) {
    const bool is_pipe = error.kind() == ErrorKind::kUsage;
    const bool is_missing = error.kind() == ErrorKind::kInputMissing;
    if (!is_missing && !is_pipe && error.kind() != ErrorKind::kInputChanged) throw;
    Error missing(error);
    std::string advice =
        is_pipe ? ""
                : "If the run's inputs lie elsewhere now, name them: export RUN_DIR --inputs FILE…";
    if (!settings.viruses.any()) {
      if (!advice.empty()) advice += " ";
      advice +=
          "The run's files of sequences called virus must match its calls, so they are written "
          "again; --drop-virus-files renames them to NAME.of-old-rule instead.";
    }
    if (!advice.empty()) missing.advise(advice);
    throw Error(missing);
  }
  return files;
}

// Writes the tables into a locked directory. When all tables are complete, calls `make_room`, which
// removes the files that the tables replace.
ExportSummary write_run(const KeptRun& run, const CallRule& rule, const MoreTables& more,
                        const RunFolder& directory, const std::function<void()>& make_room,
                        const Cancel& cancel) {
  const Journal& journal = run.journal();
  const std::string stem = run.value("stem");  // a copy, because make_room may change the run
  ExportSummary summary;
  summary.finished = journal.finished();
  summary.synthetic = is_synthetic(run.fingerprint());
  summary.covered = margin_covers(run.fingerprint(), rule);
  const std::string partial = summary.finished ? "" : partial_text(journal, cancel);
  const TableSettings tables{.directory = directory,
                             .stem = stem,
                             .rule = rule,
                             .more = more,
                             .chunk_size = cutting_of(run).chunk_size,
                             .inputs = input_names_of(journal),
                             .on_ready = [&] {
                               make_room();
                               // Write the marks first: a killed export must not leave tables
                               // without them.
                               mark_synthetic(directory, run.fingerprint());
                               if (!partial.empty()) mark_partial(directory, partial);
                             }};
  summary.rule = rule;
  summary.counts = write_tables(journal, tables, cancel);
  summary.advice = model_advice(run.fingerprint(), summary.counts);
  summary.inputs = journal.inputs();
  write_failed_inputs(summary.inputs, directory);
  summary.tables = run_files::kTableFolder.in(directory.path(), stem);
  return summary;
}

// Returns the tables to write: the requested tables, and the tables that a run wrote in `folder`
// (null: none), even if a stopped export has removed them.
MoreTables tables_to_write(const KeptRun& run, const TableChange& change, const RunFolder* folder) {
  return change.over({.natural_order = is_sorted_naturally(run.fingerprint()),
                      .bed = folder != nullptr && folder->has_written(run_files::kChunkBed)});
}

// The plan for the files of sequences called virus in an export into the run's own directory.
struct VirusPlan {
  bool fasta = false;
  FastqPlan fastq{};
  std::vector<std::filesystem::path> dropped{};

  VirusOutputs outputs() const { return {.fasta = fasta, .fastq = fastq.outputs}; }
};

VirusPlan plan_viruses(const KeptRun& run, const ExportSettings& settings, const RunFolder& own,
                       bool calls_change, const Cancel& cancel) {
  FastqRecords known = fastq_records_of(run.journal());
  const std::size_t earlier = known.size();
  VirusPlan plan{.fasta = settings.viruses.fasta};
  const bool has_fasta = has_own(own, run_files::kVirusFasta);
  // A killed export may have left virus.fasta unwritten, so this export writes it.
  const bool owes_fasta = !has_fasta && wants_virus_fasta(own, run.fingerprint());
  const bool owes = owes_fasta || std::ranges::any_of(known, &FastqRecord::pending);
  if (settings.drop_viruses && (calls_change || owes)) {
    plan.dropped = files_of(known);
    if (has_fasta && calls_change) plan.dropped.push_back(run_files::kVirusFasta.in(own.path()));
    std::ranges::for_each(plan.dropped, require_can_drop);
    known.clear();
  } else if (owes_fasta || (has_fasta && calls_change)) {
    plan.fasta = true;
  }
  plan.fastq =
      plan_fastq(run.directory(), std::move(known), settings.viruses.fastq, calls_change, cancel);
  plan.fastq.earlier = earlier;
  return plan;
}

ExportSummary write_in_place(KeptRun& run, const ExportSettings& settings, const Cancel& cancel) {
  run.lock();
  const RunFolder own(run.directory());
  own.require_names(run.value("stem"));
  const CallRule before = rule_of(run.fingerprint());
  const CallRule rule = changed_rule(run.fingerprint(), settings.rule);
  const VirusPlan plan = plan_viruses(run, settings, own, rule != before, cancel);
  require_inputs_wanted(settings, plan.outputs());
  const std::unique_ptr<VirusFiles> viruses =
      virus_files(run, settings, plan.outputs(), rule, own, cancel);
  const bool had_reports = own.has_written(run_files::kReportHtml);
  const MoreTables more = tables_to_write(run, settings.tables, &own);
  const bool contigs_follow = settings.rule.name || before.is_viral_ngs();
  add_log_file(own.place(run_files::kLog));
  log_info("export: {}", text_of(rule));
  const auto make_room = [&] {
    std::ranges::for_each(plan.dropped, drop);
    remove_call_files(own, {.keeps_virus_fasta = rule == before,
                            .keeps_contigs = !contigs_follow,
                            .writes_contigs = rule.is_viral_ngs()});
    Journal::Fingerprint entries = plan.fastq.entries();
    if (rule != before || settings.rule.name || before.is_viral_ngs()) {
      entries.merge(rule_entries(rule, more));
    }
    entries = changed_entries(run.fingerprint(), entries);
    if (!entries.empty()) run.describe(entries, cancel);
  };
  ExportSummary summary = write_run(run, rule, more, own, make_room, cancel);
  if (viruses) {
    commit_recorded(
        *viruses, plan.fastq,
        [&](const Journal::Fingerprint& entries) { run.describe(entries, cancel); }, cancel);
  }
  summary.viruses = plan.outputs();
  if (settings.on_tables) settings.on_tables(run.journal(), summary, own);
  if (had_reports && settings.on_reports) settings.on_reports(run.journal(), own);
  return summary;
}

}  // namespace

ExportSummary export_run(const ExportSettings& settings, const Cancel& cancel) {
  KeptRun run(settings.run, cancel, settings.check);
  const std::filesystem::path output =
      settings.output.empty() ? default_output(run) : settings.output;
  std::error_code other;
  if (std::filesystem::equivalent(output, run.directory(), other)) {
    if (!run.journal().finished()) {
      throw Error(ErrorKind::kOutputExists, Place{.file = output.string()},
                  "the run in this directory did not finish, and tables in it would look complete")
          .advised("Finish the run (virnucpro predict --resume), or name another --output.");
    }
    return write_in_place(run, settings, cancel);
  }
  if (settings.drop_viruses) {
    throw Error(ErrorKind::kUsage,
                "--drop-virus-files works only in the run's own directory: leave out this option "
                "or --output");
  }
  require_inputs_wanted(settings, settings.viruses);
  const CallRule rule = changed_rule(run.fingerprint(), settings.rule);
  if (settings.viruses.any()) require_files(inputs_of(run, settings, settings.viruses));
  const OutputDirectory directory(output, run.value("stem"),
                                  settings.force ? Existing::kReplace : Existing::kRefuse);
  InputSettings kept = inputs_to_keep(run.fingerprint());
  kept.paths.insert(kept.paths.end(), settings.inputs.begin(), settings.inputs.end());
  require_inputs_kept(kept, directory);
  directory.clear_leftovers();
  const MoreTables more = tables_to_write(run, settings.tables, nullptr);
  const std::unique_ptr<VirusFiles> viruses =
      virus_files(run, settings, settings.viruses, rule, directory.files(), cancel);
  ExportSummary summary = write_run(
      run, rule, more, directory.files(), [&directory] { directory.clear_complete(); }, cancel);
  if (viruses) viruses->commit();
  summary.viruses = settings.viruses;
  return summary;
}

}  // namespace virnucpro
