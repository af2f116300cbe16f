#include "measure/suites/benchmark.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "cli/devices.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/telemetry_options.hpp"
#include "journal/run_lock.hpp"
#include "measure/commands/commands.hpp"
#include "measure/commands/trials.hpp"
#include "measure/datasets/data_json.hpp"
#include "measure/datasets/data_set.hpp"
#include "measure/datasets/sample_data.hpp"
#include "measure/suites/against.hpp"
#include "measure/suites/benchmark_models.hpp"
#include "measure/suites/benchmark_report.hpp"
#include "measure/suites/regression.hpp"
#include "measure/suites/stored_baseline.hpp"
#include "observe/line_file.hpp"
#include "report/page_writers.hpp"
#include "run/load_models.hpp"
#include "run/require_models.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBenchmarkExamples =
    "Examples:\n"
    "  virnucpro benchmark --suite all --data-size tiny --quick -o bench\n"
    "  virnucpro benchmark --suite scaling,end-to-end --models-dir models \\\n"
    "      --data-size medium --history history -o bench\n"
    "  virnucpro benchmark --suite memory --data-size tiny -o bench\n"
    "If no models are given, synthetic weights are used: they are as fast as real ones, but their "
    "scores mean nothing. docs/use/validation.md says how each requirement is measured.";

// A run that computes for this many seconds is long enough to be judged. A shorter run on a GPU may
// give no reliable rate, because it mostly loads models and computes a half-empty batch.
constexpr double kShortestTrial = 10;

constexpr const char* kHistoryName = "history.jsonl";
constexpr const char* kSamplesName = "samples.json";
constexpr std::string_view kSamplesStart = "{\n  \"schema\": \"virnucpro-samples-";
constexpr const char* kUsualSize = "small";

struct BenchmarkOptions {
  std::string suites = "all";
  std::string size;  // empty: kUsualSize
  std::string output = "benchmark";
  std::string samples;
  std::string compare_to;
  std::string history;
  std::string against;
  std::string baseline;
  bool stored_baseline = false;  // true: --vanilla-baseline has no value, as in v2
  std::string vanilla_command;
  bool quick = false;
  bool strict = false;
  std::string required;
  ModelOptions models;
  ComputeOptions compute;
};

// Returns the ids of all suites' verdicts, each once.
std::vector<std::string> verdict_ids() {
  std::vector<std::string> ids;
  for (const SuiteEntry& suite : suite_table()) {
    for (const std::string_view id : split_list(suite.ids)) {
      if (std::ranges::count(ids, id) == 0) ids.emplace_back(id);
    }
  }
  return ids;
}

void add_options(Command& command, BenchmarkOptions& options) {
  OptionRow& suites = command.add_value(
      "--suite", options.suites,
      "What is measured (default all): throughput, memory, scaling, end-to-end, equivalence, "
      "v1-comparison, checkpoint-overhead; tune runs only if named",
      "SUITE[,...]");
  suites.more = "v2's names, too";
  for (const SuiteEntry& suite : suite_table()) suites.words.emplace_back(suite.name);
  suites.words.emplace_back("all");
  command.add_value("--data-size", options.size,
                    "How many made-up sequences: tiny 10, small 100 (default), medium 1,000, large "
                    "10,000 (of 100 to 2,000 bases); production 6 million of 150 bases",
                    "tiny|small|medium|large|production");
  command.add_value("--data", options.samples,
                    "Use real sequences instead: every file in this folder", "DIR");
  command.add_flag("--quick", options.quick,
                   "One repeat of each run, and shorter measurements of single models");
  command.add_value("-o,--output-dir,--output", options.output,
                    "Where reports, data and runs go (default benchmark)", "DIR");
  const std::size_t rare = command.options.size();
  command.add_value(
      "--compare-to", options.compare_to,
      "An earlier benchmark's JSON, or a history (.jsonl); figures over 10 % worse are "
      "an error",
      "FILE");
  command.add_value("--history", options.history,
                    "Keep the figures in this folder, too, and show them over time", "DIR");
  command.add_value("--against", options.against,
                    "Another build of this program, run in turns with this one", "FILE");
  command
      .add_value(
          "--vanilla-baseline", options.baseline,
          "Results of the original VirNucPro on the sequences of --data: its output directory, "
          "or a table; without a value: the results that come with this program",
          "DIR|FILE")
      .alone = &options.stored_baseline;
  command.add_value("--vanilla-command", options.vanilla_command,
                    "Shell command that runs the original VirNucPro on the FASTA file $INPUT and "
                    "writes to the folder $OUTPUT",
                    "COMMAND");
  command.add_flag("--strict", options.strict,
                   "Fail if a requirement is missed, or if a suite judges no requirement");
  command
      .add_value("--require", options.required, "Fail if one of these requirements is not judged",
                 "ID[,...]")
      .words = verdict_ids();
  leave_to_help_all(command, rare);
  add_classifier_options(command, options.models);
  add_encoder_options(command, options.models);
  add_compute_options(command, options.compute);
  command.footer = kBenchmarkExamples;
}

// If no models folder is named anywhere, chooses random weights for each model without a name.
// Random weights are as fast as real weights.
ModelOptions with_defaults(ModelOptions models, bool on_gpu, const Session& session) {
  const bool named = !models.models_dir.empty() ||
                     !session.environment.text("VIRNUCPRO_MODELS").empty() ||
                     session.config.text("run.models_dir").has_value();
  if (named) return models;
  if (models.esm_model.empty() && !session.config.text("features.esm.model_name")) {
    models.esm_model = on_gpu ? "synthetic:esm2_t36_3B" : "synthetic:esm2_t6_8M";
  }
  if (models.dnabert_model.empty() && !session.config.text("features.dnabert.model_name")) {
    models.dnabert_model = "synthetic:dnabert-s";
  }
  if (models.model_path.empty()) models.model_path = "synthetic";
  return models;
}

std::string names_of(const ModelSettings& models) {
  return fmt::format("{}, {}, {}", models.dnabert_s, models.esm2, models.classifier);
}

// Returns a text such as "NVIDIA H200 x 2", or the processor's name and number of processors.
std::string device_model(const ComputeSettings& compute) {
  if (compute.gpus.empty()) {
    const std::string processor = describe_processor();
    return processor.substr(0, processor.find(" processors"));
  }
  const std::string text = describe_device(compute.gpus.front().index);
  return fmt::format("{} x {}", text.substr(0, text.find(',')), compute.gpus.size());
}

// The choices made before the measurements.
struct BenchmarkPlan {
  std::vector<const SuiteEntry*> suites;
  ComputeSettings compute;
  BenchmarkSettings settings{};
  BenchmarkFacts facts{};
  std::optional<KeptResults> before{};
  std::string sample_text{};  // JSON; empty: the data are made up
};

// Names the data. Real samples are named by a hash of their contents.
std::string data_name(const BenchmarkPlan& plan) {
  const DataSize& size = plan.settings.size;
  if (plan.settings.samples.empty()) {
    return fmt::format("{}, lengths {}", size.name, lengths_text(size.lengths));
  }
  ContentHash hash;
  for (const std::string& line : plan.facts.samples) hash.update(std::as_bytes(std::span(line)));
  return "samples " + hash.hex();
}

std::string line_of(const SampleFile& file) {
  return fmt::format("{}: {} sequences, {} bases, {}", file.name, file.sequences, file.bases,
                     file.hash);
}

void add_samples(const std::string& directory, const Cancel& cancel, BenchmarkPlan& plan) {
  if (directory.empty()) return;
  const SampleData samples = load_sample_data(fs::absolute(directory), cancel);
  std::uint64_t sequences = 0;
  for (const SampleFile& file : samples.files) {
    plan.settings.samples.push_back(samples.directory / file.name);
    plan.facts.samples.push_back(line_of(file));
    sequences += file.sequences;
  }
  if (samples.source) plan.facts.samples.push_back("source: " + *samples.source);
  if (samples.expected_baseline_seconds) {
    plan.facts.samples.push_back(
        fmt::format("expected time of the original: {:g} s", *samples.expected_baseline_seconds));
  }
  plan.settings.size = {"samples", sequences};
  plan.sample_text = sample_data_json(samples);
  const std::string kept = plan.settings.output / kSamplesName;
  check_own_file({.flag = "--output", .path = kept, .start = kSamplesStart, .what = "samples"}, {});
}

bool can_be_run(const std::string& program) {
  std::error_code unknown;
  return fs::is_regular_file(program, unknown) && ::access(program.c_str(), X_OK) == 0;
}

// Refuses missing and unusable files now, before minutes of work.
void require_files(const BenchmarkOptions& options) {
  const auto require = [](const std::string& path) {
    std::error_code unknown;
    if (!path.empty() && !fs::exists(path, unknown)) {
      throw Error(ErrorKind::kInputMissing, Place{.file = path}, {});
    }
  };
  require(options.baseline);
  require(options.against);
  require(options.compare_to);
  if (!options.against.empty() && !can_be_run(options.against)) {
    fail_usage(fmt::format("--against {}: this is not a program that can be run", options.against));
  }
  if (!options.samples.empty() && !options.size.empty()) {
    fail_usage("--data and --data-size exclude each other");
  }
  if (options.history.empty()) return;
  make_directory(options.history);
  const fs::path history = fs::path(options.history) / kHistoryName;
  if (is_log_file(history))
    fail_usage(fmt::format(
        "--history {}: its {} is also the log file; name another folder, or another --log-file",
        options.history, kHistoryName));
  LineFile lines(FilePlace(Directory(options.history), kHistoryName));
  if (const int error = lines.append({}); error != 0) throw write_error(history, error);
}

// Refuses an option that no chosen suite reads.
void require_reader(const char* flag, bool is_given, std::string_view readers,
                    const std::vector<const SuiteEntry*>& suites) {
  const auto reads = [readers](const SuiteEntry* suite) { return is_listed(suite->name, readers); };
  if (!is_given || std::ranges::any_of(suites, reads)) return;
  fail_usage(fmt::format("{}: no suite named by --suite uses this option: add {}", flag,
                         fmt::join(split_list(readers), " or ")));
}

// Multiplies the sequences by the number of GPUs, so that a run takes as long as on one GPU. Leaves
// the size `production` as it is, because it is one whole sample.
DataSize size_for(DataSize size, std::size_t gpus) {
  if (gpus > 1 && size.name != kProductionSize) size.sequences *= gpus;
  return size;
}

// Chooses the stored baseline by the models' names. Call this before make_weights(), which replaces
// the names of synthetic models by the paths of files.
void choose_baseline_of(const BenchmarkOptions& options, const Environment& environment,
                        BenchmarkSettings& settings) {
  if (!options.baseline.empty()) {
    settings.baseline = fs::absolute(options.baseline);
    settings.baseline_remark = StoredBaseline(settings.baseline).remark_on(settings.models);
  }
  if (!options.stored_baseline) return;
  BaselineChoice choice = choose_baseline(share_directory(environment) / "baseline",
                                          settings.models, settings.chunk_size);
  settings.baseline = std::move(choice.place);
  settings.why_no_baseline = std::move(choice.why_none);
}

BenchmarkPlan make_plan(const BenchmarkOptions& options, const Session& session) {
  BenchmarkPlan plan{
      .suites = find_suites(options.suites),
      .compute = choose_own_compute(options.compute, session.config, session.environment)};
  check_required(options.required, plan.suites);
  require_reader("--vanilla-command", !options.vanilla_command.empty(), "equivalence,v1-comparison",
                 plan.suites);
  require_reader("--vanilla-baseline", options.stored_baseline || !options.baseline.empty(),
                 "equivalence", plan.suites);
  BenchmarkSettings& settings = plan.settings;
  const ComputeSettings& compute = plan.compute;
  if (compute.gpus.empty() && compute.precision == Precision::kInt8 &&
      std::ranges::count(plan.suites, "tune", &SuiteEntry::name) > 0) {
    fail_usage(
        "the suite tune cannot measure int8 on the CPU, which only simulates it: choose another "
        "--precision, or leave tune out");
  }
  const ModelChoice choice =
      choose_models(with_defaults(options.models, !compute.gpus.empty(), session), session.config,
                    session.environment);
  require_models(choice.models);
  require_files(options);
  settings.program = own_program().file;
  settings.output = fs::absolute(options.output);  // because --vanilla-command may use cd
  settings.models = choice.models;
  settings.size =
      size_for(parse_data_size(options.size.empty() ? kUsualSize : options.size, "--data-size"),
               compute.gpus.size());
  settings.quick = options.quick;
  settings.gpus = compute.gpus;
  settings.threads = compute.threads;
  settings.cpu_workers = compute.cpu_workers;
  settings.precision = name_of(compute.precision);
  settings.chunk_size = choice.chunk_size;
  choose_baseline_of(options, session.environment, settings);
  settings.vanilla_command = options.vanilla_command;
  settings.thresholds = choose_telemetry("", true, session).thresholds;
  settings.thresholds.shortest_run = std::min(settings.thresholds.shortest_run, kShortestTrial);
  plan.facts = {.provenance = provenance_here(compute, session),
                .synthetic = some_synthetic(settings.models)};
  add_samples(options.samples, session.cancel, plan);
  plan.facts.identity = {
      .device = device_model(compute),
      .models = names_of(settings.models),
      .settings = fmt::format(
          "{}, {} threads, {} workers, budget {}, prefetch {}, chunks of {}, {}",
          precision_text(compute), settings.threads, settings.cpu_workers, compute.token_budget,
          compute.prefetch, settings.chunk_size, data_name(plan))};
  if (!options.compare_to.empty()) {
    plan.before = read_results(options.compare_to, plan.facts.identity);
  }
  make_directory(settings.output);
  return plan;
}

void make_weights(const Session& session, const std::function<void(const std::string&)>& say,
                  BenchmarkPlan& plan) {
  BenchmarkSettings& settings = plan.settings;
  const ComputeSettings& compute = plan.compute;
  settings.models = with_files(settings.models, settings.output / "weights", say, session.cancel);
  settings.encoder_arguments = encoder_arguments(settings.models, settings.chunk_size, session);
  settings.model_arguments = model_arguments(settings.models, settings.chunk_size, session);
  settings.tune_arguments = {"tune", "--device", device_name(compute)};
  std::ranges::copy(settings.model_arguments, std::back_inserter(settings.tune_arguments));
  for (auto* arguments : {&settings.encoder_arguments, &settings.model_arguments}) {
    add_given(*arguments, "--precision", precision_name(compute));
    if (compute.precision == Precision::kInt8) {
      add_given(*arguments, "--int8-keep", compute.int8_policy.text());
    }
  }
  if (compute.token_budget > 0) {
    add_given(settings.model_arguments, "--token-budget", std::to_string(compute.token_budget));
  }
  add_given(settings.model_arguments, "--prefetch", std::to_string(compute.prefetch));
  add_given(settings.model_arguments, "--telemetry", "full");  // the source of all figures
}

std::string verdict_text(const Verdict& verdict) {
  if (verdict.status == VerdictStatus::kSkipped) {
    return fmt::format("{:<8} {} {}: {}\n", name_of(verdict.status), verdict.id, verdict.name,
                       verdict.detail);
  }
  return fmt::format("{:<8} {}\n", name_of(verdict.status), verdict_line(verdict));
}

// The results of a benchmark, from which the reports are written.
struct Outcome {
  BenchmarkResults results;
  std::string against_failure{};  // why the runs of another build failed, else empty
  std::vector<MetricChange> changes{};
  std::vector<Section> sections{};
};

// Warns of figures that may be worse, and of figures that only the earlier benchmark has.
void warn_of_unclear(const std::vector<MetricChange>& changes) {
  for (const MetricChange& change : changes) {
    if (change.change == Change::kMissing) {
      log_warning("the earlier benchmark has the figure {}, but this one does not", change.key);
    } else if (change.change == Change::kUnclear && change.slower > 1) {
      log_warning("the figure {} is {:.2f} times worse, perhaps by chance: run the benchmark again",
                  change.key, change.slower);
    }
  }
}

// Compares the figures with those of `before`, and returns a report's section on the comparison.
Section hold_against(const KeptResults& before, const BenchmarkPlan& plan, Outcome& outcome) {
  const std::vector<KeptMetric> now = kept(outcome.results.suites);
  const BenchmarkIdentity& identity = plan.facts.identity;
  const std::vector<MetricChange> judged =
      changes_between(comparable(before.metrics, before.identity, identity),
                      comparable(now, before.identity, identity));
  outcome.changes.insert(outcome.changes.end(), judged.begin(), judged.end());
  warn_of_unclear(judged);
  return change_section(before, changes_between(before.metrics, now));
}

void compare_with_before(const BenchmarkPlan& plan, Outcome& outcome) {
  if (!plan.before) return;
  Section section = hold_against(*plan.before, plan, outcome);
  const BenchmarkIdentity& identity = plan.facts.identity;
  if (plan.before->identity != identity) {
    const char* const judged =
        plan.before->identity.same_work(identity)
            ? "ran on another device: only counts, such as of tokens, are judged"
            : "had other models or settings: its figures are shown, not judged";
    section.note += fmt::format(" The earlier benchmark {}.", judged);
    const std::string& time = plan.before->time;
    log_warning("the earlier benchmark of {} {}", time.empty() ? "an unknown time" : time, judged);
  }
  outcome.sections.push_back(std::move(section));
}

// Compares this benchmark with the last one of the same identity in the history. Plots the history
// with this benchmark as its last point; append_to_history() later adds it to the file.
void look_at_history(const std::string& folder, const BenchmarkPlan& plan, Outcome& outcome) {
  if (folder.empty()) return;
  std::vector<KeptResults> history = read_history(fs::path(folder) / kHistoryName);
  if (const KeptResults* last = last_of(history, plan.facts.identity)) {
    Section section = hold_against(*last, plan, outcome);
    section.key = "history_changes";
    section.title = "Compared with the last benchmark in the history";
    outcome.sections.push_back(std::move(section));
  }
  history.push_back(kept_results(plan.facts, outcome.results));
  outcome.sections.push_back(trend_section(history));
}

void append_to_history(const std::string& folder, const BenchmarkPlan& plan,
                       const Outcome& outcome) {
  if (folder.empty()) return;
  LineFile lines(FilePlace(Directory(folder), kHistoryName));
  const int error = lines.append(history_line(kept_results(plan.facts, outcome.results)));
  if (error != 0) throw write_error(lines.path(), error);
}

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void write_all_reports(const BenchmarkPlan& plan, const Outcome& outcome, const fs::path& stem,
                       int exit_code) {
  const Page page = benchmark_page(plan.settings, plan.facts, outcome.results, outcome.sections);
  write_file(stem.string() + ".html", report_html(page));
  write_file(stem.string() + ".md", report_markdown(page));
  if (!plan.sample_text.empty()) {
    write_file(plan.settings.output / kSamplesName, plan.sample_text);
  }
  write_file(stem.string() + ".json", benchmark_json(plan.settings, plan.facts, outcome.results,
                                                     {.changes = outcome.changes,
                                                      .against_failure = outcome.against_failure,
                                                      .exit_code = exit_code}));
}

// Throws an error for the worst failure. Figures that were not measured or not judged come first,
// because they may hide a miss: a script must not take a missing figure for a pass.
void check_outcome(const Outcome& outcome, const BenchmarkOptions& options, const Cancel& cancel) {
  cancel.check();
  for (const SuiteReport& suite : outcome.results.suites) {
    if (suite.failure.empty()) continue;
    throw Error(ErrorKind::kBenchmark, fmt::format("suite {}: {}", suite.name, suite.failure));
  }
  if (!outcome.against_failure.empty()) {
    throw Error(ErrorKind::kBenchmark, "--against: " + outcome.against_failure);
  }
  require_judged(outcome.results, options.required, options.strict);
  for (const MetricChange& change : outcome.changes) {
    if (change.change != Change::kRegression) continue;
    throw Error(ErrorKind::kRegression,
                fmt::format("the figure {} is {:.2f} times worse", change.key, change.slower));
  }
  if (options.strict) require_all_met(all_verdicts(outcome.results));
}

void hold_against_another_build(const std::string& program, const Session& session,
                                const BenchmarkPlan& plan, Outcome& outcome) {
  if (program.empty() || session.cancel.requested()) return;
  try {
    AgainstResult against = run_against(plan.settings, program, session.cancel);
    outcome.changes.insert(outcome.changes.end(), against.changes.begin(), against.changes.end());
    warn_of_unclear(against.changes);
    outcome.sections.push_back(std::move(against.section));
  } catch (const Error& error) {  // the report still has the earlier measurements
    outcome.against_failure = reason_of(error);
    log_warning("--against {}: comparing the builds failed: {}", program, outcome.against_failure);
  }
}

int run_benchmark_command(const BenchmarkOptions& options, const Session& session) {
  BenchmarkPlan plan = make_plan(options, session);
  const RunLock lock{Directory(plan.settings.output)};
  const auto say = [&session](const std::string& what) {
    if (!session.global.quiet) terminal_print(what);
    log_to_files(LogLevel::kInfo, what);
  };
  std::vector<std::string_view> names;
  for (const SuiteEntry* suite : plan.suites) names.push_back(suite->name);
  say(fmt::format("--suite {}: {}", options.suites, fmt::join(names, ", ")));
  make_weights(session, say, plan);
  const auto started = std::chrono::system_clock::now();
  plan.facts.provenance.time = iso_time(started);
  Outcome outcome{.results = run_benchmark(plan.settings, plan.suites, session.cancel, say)};
  plan.facts.provenance.driver = outcome.results.driver;
  compare_with_before(plan, outcome);
  hold_against_another_build(options.against, session, plan, outcome);
  look_at_history(options.history, plan, outcome);
  const std::vector<Verdict> verdicts = all_verdicts(outcome.results);
  for (const Verdict& verdict : verdicts) print_stdout(verdict_text(verdict));
  print_stdout(judged_text(verdicts) + "\n");
  std::optional<Error> wrong;
  try {
    check_outcome(outcome, options, session.cancel);
  } catch (const Error& error) {
    wrong = error;
  }
  const fs::path stem = plan.settings.output / ("benchmark_" + file_time(started));
  write_all_reports(plan, outcome, stem, wrong ? wrong->info().exit_code : kExitDone);
  say(fmt::format("report: {}", printable(stem.string() + ".html")));
  session.cancel.check();  // checked late, so that the reports are written first
  append_to_history(options.history, plan, outcome);
  if (wrong) throw Error(*wrong);
  return kExitDone;
}

}  // namespace

void add_benchmark_command(Command& program) {
  Command& command = program.add_command(
      "benchmark", "Measure this program on this machine, and judge the results");
  const auto options = std::make_shared<BenchmarkOptions>();
  add_options(command, *options);
  command.exit_codes = {
      {error_info(ErrorKind::kRegression).exit_code, "a figure is worse than before"},
      {error_info(ErrorKind::kNotJudged).exit_code,
       "a suite failed, or what --require or --strict needs was not judged"}};
  command.action = [options](Session& session) { return run_benchmark_command(*options, session); };
}

}  // namespace virnucpro
