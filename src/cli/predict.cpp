#include "run/predict.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "cli/cached_calibration.hpp"
#include "cli/call_options.hpp"
#include "cli/check_options.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/next_step.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/summary.hpp"
#include "cli/telemetry_options.hpp"
#include "cli/virus_options.hpp"
#include "journal/run_files.hpp"
#include "journal/run_folder.hpp"
#include "report/write_reports.hpp"
#include "run/earlier_run.hpp"
#include "run/input_check.hpp"
#include "run/output_directory.hpp"
#include "run/require_models.hpp"
#include "run/run_fingerprint.hpp"
#include "sequence/record.hpp"
#include "telemetry/metrics_file.hpp"
#include "telemetry/progress.hpp"
#include "telemetry/telemetry.hpp"
#include "telemetry/trace_file.hpp"
#include "weights/torch_checkpoint.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputGroup = "Output";
constexpr const char* kLongRunGroup = "Long runs";
constexpr const char* kMeasureGroup = "Measuring";
constexpr const char* kPredictExamples =
    "Examples:\n"
    "  virnucpro predict --paired r1.fq.gz r2.fq.gz -m 300 -o out --virus-fastq viral\n"
    "  virnucpro predict contigs.fa.gz --models-dir models --rule viral-ngs\n"
    "  virnucpro predict contigs.fa.gz --models-dir models --resume\n"
    "  virnucpro predict --demo    # a small genome, random weights: to try it";

struct PredictOptions {
  InputOptions inputs;
  bool demo = false;
  ModelOptions models;
  ComputeOptions compute;
  FinerOptions check;
  std::string output;
  std::string name;
  CallOptions calls;
  TableOptions tables;
  std::string min_length;
  std::string shard;
  std::string journal_interval;
  std::string telemetry;
  std::string metrics_file;
  TraceOptions trace;
  bool force = false;
  bool resume = false;
  bool force_resume = false;
  bool skip_validation = false;
  bool keep_intermediate = false;
  VirusOptions viruses;
  bool strict_input = false;
  bool strict = false;
  bool no_report = false;
  bool no_progress = false;
};

void add_output_options(Command& command, PredictOptions& options) {
  command
      .add_value("-o,--output-dir,--output", options.output,
                 "Output directory (default NAME_predictions)", "DIR", kOutputGroup)
      .more = "-: only the frame table, to stdout";
  add_virus_options(command, options.viruses, kOutputGroup);
  const auto flag = [&command](const char* names, bool& on, const char* help) {
    return &command.add_flag(names, on, help, kOutputGroup);
  };
  flag("--resume", options.resume, "Continue the interrupted run in that directory")->more =
      "or start one if there is none";
  flag("-f,--force", options.force, "Replace this program's files in that directory");
  const std::size_t rare = command.options.size();
  command.add_value("--name", options.name,
                    "The sample's name, for tables and reports (default: the first input's name)",
                    "NAME", kOutputGroup);
  flag("-k,--keep-intermediate", options.keep_intermediate,
       "Keep chunks and frames (FASTA) and embeddings (HDF5)");
  flag("--no-report", options.no_report,
       "Write no reports (report.html and others); virnucpro report makes them");
  flag("--no-progress", options.no_progress, "No progress on stderr");
  leave_to_help_all(command, rare);
}

void add_rare_options(Command& command, PredictOptions& options) {
  const std::size_t rare = command.options.size();
  command.add_value("--min-length", options.min_length,
                    "Skip sequences shorter than this (default 0)", "N", kInputGroup);
  command.add_flag("--strict-input", options.strict_input, "Stop at the first bad input",
                   kInputGroup);
  command.add_value(
      "--shard", options.shard,
      "Score only part I of N (0/4, 1/4 …); the parts have about equally many bases and "
      "split no pair; virnucpro merge joins them",
      "I/N", kLongRunGroup);
  command.add_value("--journal-interval", options.journal_interval,
                    "Seconds of scores that a killed run may lose, at least 0.1 (default 2)", "N",
                    kLongRunGroup);
  command.add_flag("--force-resume", options.force_resume,
                   "Like --resume, but start over if the journal cannot be used", kLongRunGroup);
  command.add_flag("--skip-checkpoint-validation", options.skip_validation,
                   "Resume without first checking every unit (row of scores) of the journal",
                   kLongRunGroup);
  command.add_value(
      "--telemetry", options.telemetry,
      "What to measure and write beside the tables; full (default): also a line per batch",
      "off|summary|full", kMeasureGroup);
  command
      .add_value(
          "--metrics-file", options.metrics_file,
          "Keep the run's counters in this file, in the format of Prometheus's node exporter",
          "FILE", kMeasureGroup)
      .written = {""};
  add_trace_options(command, options.trace, kMeasureGroup);
  command.add_flag("--strict", options.strict,
                   "Write all files, but fail if a requirement is missed", kMeasureGroup);
  leave_to_help_all(command, rare);
}

void add_demo_option(Command& command, PredictOptions& options) {
  command.arguments.front().required = false;
  command.add_flag("--demo", options.demo, "Instead of INPUT: a phage, with tiny made-up models",
                   kInputGroup);
}

// Replaces INPUT and the options of models by --demo's genome and models. --demo is an option of
// predict, so that a new user can try the real command before downloading 12 GB.
PredictOptions with_demo(PredictOptions options, const Session& session) {
  ModelOptions& models = options.models;
  const std::string chunk_size = std::exchange(models.expected_length, {});
  if (!options.inputs.paths.empty() || options.inputs.paired || models != ModelOptions{}) {
    fail_usage(
        "--demo has its own input and models: leave out INPUT, --paired, -m, -p, --dnabert-model, "
        "--esm-model and --models-dir");
  }
  models.models_dir =
      share_directory(session.environment).string();  // even if VIRNUCPRO_MODELS is set
  options.inputs.paths = {models.models_dir + "/lambda.fa.gz"};
  models.model_path = "synthetic";
  models.dnabert_model = "synthetic:dnabert-s-tiny";
  models.esm_model = "synthetic:esm2_tiny";
  models.expected_length = chunk_size.empty() ? "300" : chunk_size;
  return options;
}

std::string choose_stem(const PredictOptions& options) {
  const std::string& input = options.inputs.paths.front();
  std::string stem = options.name.empty() ? output_stem(input) : options.name;
  if (is_file_name(stem)) return stem;
  throw Error(
      ErrorKind::kUsage,
      options.name.empty()
          ? fmt::format(
                "{}: the output's files cannot be named after it; give a name with --name NAME",
                input)
          : fmt::format("--name {}: it cannot be part of a file's name", options.name));
}

void warn_of_missing_name(const PredictOptions& options, const std::string& stem) {
  const std::string& input = options.inputs.paths.front();
  if (!options.name.empty() || !is_nameless(input)) return;
  log_warning(
      "the input {} has no name: the tables are named {}, and reports name the sample after the "
      "output directory; give a name with --name NAME",
      input, stem);
}

void choose_output(const PredictOptions& options, PredictSettings& settings) {
  settings.stem = choose_stem(options);
  settings.to_stdout = options.output == "-";
  if (settings.to_stdout) return;
  warn_of_missing_name(options, settings.stem);
  settings.output = options.output.empty() ? run_files::kDefaultOutput.in({}, settings.stem)
                                           : fs::path(options.output);
}

// Chooses the rule and the optional tables. With --resume, options that are not given keep the
// earlier run's values.
void choose_calls(const PredictOptions& options, const Session& session,
                  PredictSettings& settings) {
  std::optional<CallRule> own;
  MoreTables more;
  const bool resumes = settings.existing == Existing::kResume;
  const auto run =
      resumes ? earlier_run(settings.output, settings.existing, session.cancel) : nullptr;
  if (run) {
    const RunFolder folder(settings.output);
    own = rule_of(run->fingerprint());
    more = {.natural_order = is_sorted_naturally(run->fingerprint()),
            .bed = wants_bed(folder, run->fingerprint())};
    settings.viruses.fasta |= wants_virus_fasta(folder, run->fingerprint());
  }
  settings.rule = choose_call_rule(options.calls, session.config, own);
  settings.names_rule =
      !options.calls.rule.empty() || !options.calls.rollup.empty() || !options.calls.cutoff.empty();
  settings.more = choose_table_change(options.tables).over(more);
  const bool wants_files =
      settings.viruses.any() || settings.rule.is_viral_ngs() || settings.more.bed;
  if (!settings.to_stdout || !(wants_files || settings.keep_intermediate)) return;
  fail_usage(
      "--output - keeps no files, so it excludes -k, --virus-fasta, --virus-fastq, "
      "--rule viral-ngs and --bed");
}

bool keeps_journal(const Session& session) {
  return session.config.flag("checkpointing.enabled").value_or(true) &&
         !session.environment.enabled("VIRNUCPRO_DISABLE_CHECKPOINTING");
}

void choose_resuming(const PredictOptions& options, PredictSettings& settings) {
  const bool resume = options.resume || options.force_resume;
  settings.existing = choose_existing(options.force, resume);
  if (resume && options.output == "-") {
    fail_usage("--resume has no effect: --output - keeps nothing that could be resumed");
  }
  if (resume && !settings.journal) {
    fail_usage(
        "--resume: nothing can be resumed, because checkpoints are switched off "
        "(checkpointing.enabled, VIRNUCPRO_DISABLE_CHECKPOINTING)");
  }
  settings.start_over = options.force_resume;
  settings.check_journal = !options.skip_validation;
}

// Warns of v2's checkpoints in the output directory: this program cannot resume from them.
void warn_of_torch_checkpoints(const PredictSettings& settings) {
  const fs::path& folder = settings.output;
  if (settings.existing != Existing::kResume || is_there(run_files::kJournal.in(folder))) return;
  if (find_torch_checkpoints(folder).empty()) return;
  log_warning(
      "{}: it holds checkpoints of v2 (*.pt) but no journal to resume from: everything is computed "
      "anew",
      folder.string());
}

Shard choose_shard(const std::string& text) {
  if (text.empty()) return {};
  const std::optional<Shard> shard = parse_shard(text);
  if (shard) return *shard;
  fail_usage(fmt::format("--shard {}: expected I/N with I from 0 to N - 1, N at most {}", text,
                         Shard::kMost));
}

PredictSettings choose_settings(const PredictOptions& options, const Session& session) {
  PredictSettings settings;
  settings.inputs = choose_inputs(options.inputs, session.config);
  settings.translation = choose_translation(options.inputs, session.config);
  ModelChoice models = choose_models(options.models, session.config, session.environment);
  settings.models = std::move(models.models);
  settings.chunk_size = models.chunk_size;
  settings.classifier_name = std::move(models.classifier_name);
  settings.compute = choose_own_compute(options.compute, session.config, session.environment);
  settings.journal = keeps_journal(session);
  settings.journal_interval = choose_journal_interval(options.journal_interval, session.config);
  choose_resuming(options, settings);
  settings.shard = choose_shard(options.shard);
  const bool cleanup = session.config.flag("files.auto_cleanup").value_or(true);
  settings.keep_intermediate = options.keep_intermediate || !cleanup;
  settings.strict_input = options.strict_input;
  if (!options.min_length.empty()) {
    settings.min_length = count_value("--min-length", options.min_length, 0, kMaxLetters);
  }
  choose_output(options, settings);
  settings.viruses =
      choose_viruses(options.viruses, settings.output, settings.existing == Existing::kReplace);
  choose_calls(options, session, settings);
  return settings;
}

// Checks inputs and models first, because calibrating takes minutes.
void calibrate_margin(PredictSettings& settings, const Session& session) {
  require_an_input(settings.inputs, session.cancel);
  require_models(settings.models);
  use_calibration(find_or_make_calibration(settings, session), settings);
}

void log_settings(const PredictSettings& settings) {
  for (const std::string& path : settings.inputs.paths) log_info("input: {}", path);
  const ComputeSettings& compute = settings.compute;
  log_info("chunk size {}, minimum length {}, genetic code {}, RNA {}", settings.chunk_size,
           settings.min_length, settings.translation.genetic_code,
           settings.translation.rna     ? "read as DNA"
           : settings.inputs.refuse_rna ? "refused"
                                        : "as the original reads it");
  log_info("rule: {}", text_of(settings.rule));
  if (settings.calibration) {
    log_info("calibration: {}; its margin: {:g} logits", settings.calibration->place(),
             settings.calibration->margin);
  }
  if (settings.margin > 0) {
    log_info("chunks whose two scores are at most {:g} logits apart are computed again in {}",
             settings.margin, name_of(compute.check_precision.value()));
  }
  if (settings.shadow > 0) {
    log_info("of the other calls, a share of at least {:g} is also computed in {}, to compare",
             settings.shadow, name_of(compute.check_precision.value()));
  }
  log_info("{}, {}, {} threads, token budget {}, {} batches waiting for each worker, packing {}",
           device_name(compute), precision_text(compute), compute.threads,
           compute.token_budget == 0 ? "auto" : fmt::format("{}", compute.token_budget),
           compute.prefetch, compute.packing ? "on" : "off");
  log_info("journal: {}", settings.journal ? fmt::format("scores are written after at most {:g} s",
                                                         settings.journal_interval)
                                           : "none");
}

// Makes the run write reports after tables and telemetry, because reports include the telemetry. If
// a report fails, the run still has its tables.
PredictEvents with_reports(PredictEvents events, const Cancel& cancel) {
  const auto directory = std::make_shared<std::optional<RunFolder>>();  // set by on_start
  events.on_start = [before = std::move(events.on_start), directory](const RunStart& start) {
    *directory = start.directory;
    before(start);
  };
  events.on_tables = [before = std::move(events.on_tables), directory, &cancel](
                         const Journal& journal, const RunSummary& summary) {
    before(journal, summary);
    write_reports_or_warn(journal, directory->value(), cancel);
  };
  return events;
}

// Runs predict. Writes telemetry even if the run fails. `command` is a command line that resumes
// the run.
RunSummary measured_run(const PredictSettings& settings, RunCounters& counters,
                        const Cancel& cancel, Telemetry& telemetry, bool reports,
                        const std::string& command) {
  PredictEvents events = telemetry.events();
  if (reports) events = with_reports(std::move(events), cancel);
  bool has_begun = false;
  events.on_start = [before = std::move(events.on_start), &has_begun](const RunStart& start) {
    has_begun = true;
    before(start);
  };
  try {
    return predict(settings, counters, cancel, write_stdout, events);
  } catch (const std::exception& exception) {
    Error error = error_of(exception);
    telemetry.end(error.kind());
    const bool keeps_journal = settings.journal && !settings.to_stdout;
    if (!keeps_journal && error.is(ErrorClass::kAdvisesResume)) {
      throw std::move(error).advised(
          "Run it again, from the beginning: this run kept nothing that could be resumed.");
    }
    if (!keeps_journal || !has_begun || !error.is(ErrorClass::kResumable)) throw;
    throw with_way_on(std::move(error), counters, settings, command);
  }
}

int run_predict(const PredictOptions& given, const Session& session, const Command& program) {
  const PredictOptions options = given.demo ? with_demo(given, session) : given;
  if (options.inputs.paths.empty()) fail_usage("INPUT or --demo is required");
  PredictSettings settings = choose_settings(options, session);
  const bool lacks_margin = choose_check(options.check, options.compute, session.config, settings);
  if (!options.metrics_file.empty()) {
    check_own_file({.flag = "--metrics-file",
                    .path = options.metrics_file,
                    .start = kMetricsFileStart,
                    .what = "metrics"},
                   settings.output);
  }
  const std::optional<TraceSettings> tracing =
      choose_trace(options.trace, session.environment, settings.output);
  const TelemetrySettings measuring =
      choose_telemetry(options.telemetry, !settings.to_stdout, session);
  if (options.strict && measuring.level == TelemetryLevel::kOff) {
    throw Error(
        ErrorKind::kUsage,
        "--strict needs telemetry: leave out --telemetry off, run.telemetry: off and --output -");
  }
  if (options.strict) settings.most_changed_calls = measuring.thresholds.most_changed_calls;
  auto shown = choose_progress(options.no_progress, settings.compute, session);
  if (lacks_margin) calibrate_margin(settings, session);
  log_settings(settings);
  warn_of_torch_checkpoints(settings);
  std::optional<TraceFile> trace;
  if (tracing) trace.emplace(options.trace.file, *tracing);
  const bool reports = !options.no_report && !settings.to_stdout;
  RunCounters counters;
  Telemetry telemetry(measuring, settings, counters);
  std::optional<MetricsFile> metrics;
  if (!options.metrics_file.empty()) {
    metrics.emplace(options.metrics_file,
                    MetricsRun{.name = settings.output.string(), .shadow = settings.shadow},
                    counters);
  }
  std::optional<Progress> progress;
  if (shown) {
    shown->utilization = [&telemetry] { return telemetry.utilization(); };
    progress.emplace(counters, *std::move(shown));
  }
  const RunSummary summary = measured_run(settings, counters, session.cancel, telemetry, reports,
                                          resuming_command(program, session.arguments));
  progress.reset();
  trace.reset();
  if (metrics) metrics->finish(summary.counts);
  say_summary(summary_lines(settings, summary, counters,
                            {.judged = telemetry.judged(),
                             .gpu_percent = telemetry.gpu_percent(),
                             .warnings = warnings_said(),
                             .reports = reports && has_report_page(settings.output)}),
              session.global.quiet);
  const int code = exit_code(summary);
  if (options.strict && code == kExitDone) require_all_met(telemetry.judged());
  return code;
}

}  // namespace

void add_predict_command(Command& program) {
  Command& command = program.add_command("predict", "Score sequences and write the tables");
  const auto options = std::make_shared<PredictOptions>();
  add_input_options(command, options->inputs);
  add_genetic_code(command, options->inputs);
  add_demo_option(command, *options);
  add_output_options(command, *options);
  add_classifier_options(command, options->models);
  add_encoder_options(command, options->models);
  add_call_options(command, options->calls, CallDefault::kNewRun);
  add_table_options(command, options->tables);
  add_compute_options(command, options->compute);
  options->compute.v2.add_unused_to(command);
  add_check_options(command, options->check, "Calls computed again");
  add_rare_options(command, *options);
  command.footer = kPredictExamples;
  command.restart_advice.clear();
  command.action = [options, &program](Session& session) {
    return run_predict(*options, session, program);
  };
}

}  // namespace virnucpro
