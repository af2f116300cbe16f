#include "measure/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/host.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "measure/commands/commands.hpp"
#include "measure/commands/trials.hpp"
#include "measure/datasets/data_set.hpp"
#include "measure/suites/benchmark_models.hpp"
#include "measure/timing/budget_sweep.hpp"
#include "measure/timing/predict_trial.hpp"
#include "measure/tune/tune_data.hpp"
#include "measure/tune/tune_report.hpp"
#include "report/page_writers.hpp"
#include "run/input_check.hpp"
#include "run/require_models.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTuneExamples =
    "Examples:\n"
    "  virnucpro tune --models-dir models --data-size tiny --quick -o quick\n"
    "  virnucpro tune --models-dir models --test-file reads.fq.gz \\\n"
    "      --budget-grid 2048,4096 --threads-grid 1,2 --prefetch-grid 2\n"
    "A cell of the grid is one combination of settings. Whole runs of predict measure each cell; "
    "cells that are clearly slower than the best are stopped early. DIR then has tune.yaml (for "
    "the option -c), tune.json, tune.html and tune.md. Only the precision changes results.";

// The largest number of cells in a grid. A larger grid must be a mistake.
constexpr std::size_t kMostCells = 1000;
constexpr std::array<std::size_t, 3> kPrefetches{1, 2, 4};
// The least and largest default budgets: the best budget of each kind of device lies between them.
constexpr std::size_t kLeastTunedOnCpu = 512;
constexpr std::size_t kMostTunedOnCpu = 4096;
constexpr std::size_t kLeastTunedOnGpu = 8192;
constexpr std::size_t kMostTunedOnGpu = 65536;
// Each worker gets at least this many batches of the largest budget in the shortest run.
constexpr std::uint64_t kLeastBatches = 2;
constexpr std::size_t kLongestWhy = 300;

constexpr std::array kFiles{"tune.yaml", "tune.json", "tune.html", "tune.md"};

struct TuneOptions {
  std::string threads;
  std::string prefetches;
  std::string budgets;
  std::string journal_intervals;
  std::string precisions;
  std::string int8_keep;
  std::string size;
  std::string test_file;
  bool quick = false;
  std::string output = "tune";
  bool force = false;
  ModelOptions models;
  ComputeOptions compute;
};

void add_grid_options(Command& command, TuneOptions& options) {
  command.add_value(
      "--threads-grid", options.threads,
      "Host threads to try (default: all usable processors, half of them and a fourth of them)",
      "N[,...]");
  command.add_value("--prefetch-grid", options.prefetches,
                    "Values of --prefetch to try (default 1,2,4)", "N[,...]");
  command.add_value(
      "--budget-grid", options.budgets,
      "Token budgets to try (default 512 to 4096 on the CPU, 8192 to 65536 on a GPU, each "
      "twice the one before)",
      "N[,...]");
  const std::size_t rare = command.options.size();
  command.add_value(
      "--journal-grid", options.journal_intervals,
      "Values of --journal-interval to try, in seconds (default: the one that predict takes)",
      "N[,...]");
  command.add_value("--precisions", options.precisions,
                    "Precisions to try (default: the one that predict takes)",
                    "fp32|fp16|bf16|int8[,...]");
  leave_to_help_all(command, rare);
}

void add_options(Command& command, TuneOptions& options) {
  command.add_value("--data-size", options.size,
                    "How many made-up sequences: 10, 100 (default on the CPU), 1,000, 10,000 "
                    "(default on a GPU) or 6 million",
                    "tiny|small|medium|large|production");
  command
      .add_value("--test-file", options.test_file,
                 "Use these sequences instead: a file, not a pipe; it is read many times", "FILE")
      .excludes = "--data-size";
  command.add_flag("--quick", options.quick,
                   "Two rounds in place of three, the last without repeats");
  command.add_value("-o,--output", options.output, "Folder for the results (default tune)", "DIR")
      .written = names_in_folder(kFiles);
  command.add_flag("-f,--force", options.force, "Replace the files of an earlier tune");
  add_grid_options(command, options);
  add_classifier_options(command, options.models);
  add_encoder_options(command, options.models);
  add_device_option(command, options.compute);
  add_int8_keep(command, options.int8_keep);
  command.footer = kTuneExamples;
}

// --- the grid ------------------------------------------------------------------------------------

template <typename T>
std::vector<T> ascending(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<std::size_t> count_list(std::string_view flag, const std::string& text,
                                    std::uint64_t most, std::vector<std::size_t> fallback) {
  if (text.empty()) return fallback;
  std::vector<std::size_t> values;
  for (const std::string_view part : split_list(text)) {
    const auto value = parse_count(part);
    if (!value || *value == 0 || *value > most) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{} {}: expected whole numbers from 1 to {}, with commas between them", flag,
                      text, most));
    }
    values.push_back(*value);
  }
  return ascending(std::move(values));
}

// Refuses int8 on the CPU, which only simulates the errors of a GPU's int8.
std::vector<Precision> for_speed(std::vector<Precision> precisions,
                                 const ComputeSettings& compute) {
  if (compute.gpus.empty() && std::ranges::count(precisions, Precision::kInt8) > 0) {
    fail_usage(
        "tune cannot measure int8 on the CPU, which only simulates it: give another precision "
        "(--precisions)");
  }
  return precisions;
}

std::vector<Precision> precision_list(const std::string& text, const ComputeSettings& compute) {
  if (text.empty()) return for_speed({compute.precision}, compute);
  std::vector<Precision> precisions;
  for (const std::string_view word : split_list(text)) {
    const auto precision = parse_precision(word, compute.gpus);
    if (!precision) {
      fail_usage(
          fmt::format("--precisions {}: expected fp32, fp16, bf16 or int8, with commas "
                      "between them",
                      text));
    }
    precisions.push_back(*precision);
  }
  return for_speed(ascending(std::move(precisions)), compute);
}

// Returns which linear layers the cells in int8 keep in 16 bits; none if no cell is in int8.
Int8Policy choose_kept(const TuneOptions& options, const Config& config, const TuneGrid& grid) {
  const Int8Policy policy = choose_int8_policy(options.int8_keep, config);
  if (std::ranges::count(grid.precisions, Precision::kInt8) > 0) return policy;
  if (options.int8_keep.empty() || policy == Int8Policy()) return {};
  fail_usage(
      fmt::format("--int8-keep {} is only for int8: add int8 to --precisions", policy.text()));
}

std::vector<double> interval_list(const std::string& text, const Config& config) {
  if (text.empty()) return {choose_journal_interval("", config)};
  std::vector<double> intervals;
  for (const std::string_view part : split_list(text)) {
    intervals.push_back(journal_interval("--journal-grid", std::string(part)));
  }
  return ascending(std::move(intervals));
}

TuneGrid choose_grid(const TuneOptions& options, const ComputeSettings& compute,
                     const Config& config) {
  const bool on_gpu = !compute.gpus.empty();
  const std::size_t processors = std::min<std::size_t>(usable_processors(), kMostThreads);
  TuneGrid grid{
      .precisions = precision_list(options.precisions, compute),
      .threads =
          count_list("--threads-grid", options.threads, kMostThreads,
                     budgets_between(std::max<std::size_t>(1, processors / 4), processors, 0)),
      .prefetches = count_list("--prefetch-grid", options.prefetches, kMostPrefetch,
                               {kPrefetches.begin(), kPrefetches.end()}),
      .token_budgets = count_list("--budget-grid", options.budgets, kLargestBudget,
                                  on_gpu ? budgets_between(kLeastTunedOnGpu, kMostTunedOnGpu, 0)
                                         : budgets_between(kLeastTunedOnCpu, kMostTunedOnCpu, 0)),
      .journal_intervals = interval_list(options.journal_intervals, config)};
  const std::size_t cells = grid.precisions.size() * grid.threads.size() * grid.prefetches.size() *
                            grid.token_budgets.size() * grid.journal_intervals.size();
  if (cells <= kMostCells) return grid;
  fail_usage(fmt::format("the grid has {} cells: expected at most {}; give fewer values", cells,
                         kMostCells));
}

// Chooses the data size. The default size fills several batches of the largest default budget, and
// takes longer to compute than the models take to load.
DataSize choose_size(const TuneOptions& options, const ComputeSettings& compute) {
  const char* const fallback = compute.gpus.empty() ? "small" : "large";
  return parse_data_size(options.size.empty() ? fallback : options.size, "--data-size");
}

// --- the output ----------------------------------------------------------------------------------

void check_output(const TuneOptions& options, const Cancel& cancel) {
  check_output_folder(options.output, kFiles, options.force);
  if (options.test_file.empty()) return;
  const InputSettings input{.paths = {options.test_file}};
  if (has_pipe(input)) {
    fail_usage(
        fmt::format("--test-file {}: expected a file, not a pipe, because it is read many times",
                    options.test_file));
  }
  require_first_records(input, cancel);
}

// --- measuring -----------------------------------------------------------------------------------

std::vector<std::string> common_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                          const std::string& device, const Session& session) {
  std::vector<std::string> arguments = model_arguments(models, chunk_size, session);
  // Overrides the configuration, so that no cell computes close calls again in another precision.
  arguments.insert(arguments.end(), {"--calibration", "none", "--margin", "0", "--device", device,
                                     "--telemetry", "summary", "--no-report"});
  return arguments;
}

std::vector<std::string> arguments_of(const TuneCell& cell, const std::string& int8_keep) {
  std::vector<std::string> arguments{
      "--precision",        std::string(name_of(cell.precision)),
      "--threads",          std::to_string(cell.threads),
      "--prefetch",         std::to_string(cell.prefetch),
      "--token-budget",     std::to_string(cell.token_budget),
      "--journal-interval", fmt::format("{}", cell.journal_interval)};
  if (cell.precision == Precision::kInt8) add_given(arguments, "--int8-keep", int8_keep);
  return arguments;
}

TuneRun measure(PredictTrials& trials, const TuneData& data, std::vector<std::string> arguments,
                const TuneRound& round) {
  const Trial trial = trials.run(
      {.name = "tune", .inputs = {data.first(round.sequences)}, .arguments = std::move(arguments)});
  std::error_code ignored;  // on an error, the unneeded tables remain
  fs::remove_all(trial.directory, ignored);
  trial.require_computed();
  return {.sequences_per_second = trial.sequences_per_second(),
          .seconds = trial.end.seconds,
          .batches = trial.telemetry.workload.batches.value_or(0),
          .gpu_percent = trial.gpu_percent()};
}

// --- the table -----------------------------------------------------------------------------------

std::string head_text(const TuneFacts& facts, const TuneOutcome& outcome, std::size_t cells) {
  std::vector<std::string> parts;
  for (const TuneRound& round : outcome.rounds) parts.push_back(grouped(round.sequences));
  return fmt::format("device  {}, {}\n", facts.device, facts.provenance.processor) +
         fmt::format("models  {}, {}, {}\n", printable(facts.dnabert_s), printable(facts.esm2),
                     printable(facts.classifier)) +
         fmt::format("data    {}\n", printable(facts.data)) +
         fmt::format("grid    {} cells, in rounds of {} sequences\n\n", cells,
                     fmt::join(parts, ", ")) +
         fmt::format("{:>5}  {:>9}  {:>7}  {:>8}  {:>12}  {:>7}  {:>11}  {:>9}  {:>5}\n", "round",
                     "precision", "threads", "prefetch", "token budget", "journal", "sequences/s",
                     "whole run", "GPU");
}

std::string row_text(const TuneResult& result) {
  if (result.state == TuneState::kStopped) {
    return fmt::format("stopped: {}: {}\n", cell_text(result.cell), result.why);
  }
  if (result.state != TuneState::kRunning) {
    return fmt::format("{}: {}: {}\n", name_of(result.state), cell_text(result.cell),
                       shown_text(result.why, kLongestWhy));
  }
  const TuneCell& cell = result.cell;
  const TuneRun& run = result.rounds.back().back();
  const std::string gpu = run.gpu_percent ? fmt::format("{:.0f} %", *run.gpu_percent) : "-";
  return fmt::format("{:>5}  {:>9}  {:>7}  {:>8}  {:>12}  {:>5g} s  {:>11.2f}  {:>7.2f} s  {:>5}\n",
                     result.rounds.size(), name_of(cell.precision), cell.threads, cell.prefetch,
                     cell.token_budget, cell.journal_interval, run.sequences_per_second,
                     run.seconds, gpu);
}

std::string end_text(const TuneFacts& facts, const TuneOutcome& outcome) {
  return fmt::format("\n{}\n{}\n", winner_text(outcome),
                     fmt::join(arguments_of(outcome.best().cell, facts.int8_keep), " "));
}

// --- the command ---------------------------------------------------------------------------------

TuneFacts make_facts(const ModelChoice& choice, const ComputeSettings& compute,
                     const Session& session) {
  const ModelSettings& models = choice.models;
  return {.provenance = provenance_here(compute, session),
          .device = device_name(compute),
          .workers = compute.gpus.empty() ? compute.cpu_workers : compute.gpus.size(),
          .dnabert_s = models.dnabert_s,
          .esm2 = models.esm2,
          .classifier = models.classifier,
          .synthetic = some_synthetic(models),
          .chunk_size = choice.chunk_size};
}

std::string data_text(const TuneOptions& options, const TuneData& data, std::uint64_t length) {
  if (options.test_file.empty()) {
    return fmt::format("{} made-up sequences of {} bases", grouped(data.sequences()), length);
  }
  return fmt::format("{}, {} sequences", options.test_file, grouped(data.sequences()));
}

// Returns how many sequences fill kLeastBatches per worker. A frame has a token per codon plus 2.
std::uint64_t least_sequences(const TuneGrid& grid, const TuneFacts& facts) {
  const std::uint64_t tokens = kLeastBatches * facts.workers * grid.token_budgets.back();
  return 1 + tokens / (facts.chunk_size / 3 + 2);
}

// Throws the error for a grid without a cell that was measured completely.
[[noreturn]] void throw_without_winner(const std::vector<TuneResult>& results) {
  throw Error(ErrorKind::kBenchmark,
              fmt::format("no cell of the grid could be run: {}: {}",
                          cell_text(results.front().cell), results.front().why))
      .advised("This is the first cell's error from predict; the other cells' errors are above.");
}

// The choices of the command line. All are made before the first file is written.
struct TunePlan {
  ModelChoice choice{};
  TuneFacts facts{};
  TuneGrid grid{};
  DataSize size{};
};

TunePlan make_plan(const TuneOptions& options, const Session& session) {
  ComputeOptions asked = options.compute;
  if (!options.precisions.empty()) asked.precision = "auto";  // "auto" overrides run.precision
  const ComputeSettings compute = choose_compute(asked, session.config, session.environment);
  TunePlan plan{.choice = choose_models(options.models, session.config, session.environment),
                .grid = choose_grid(options, compute, session.config),
                .size = choose_size(options, compute)};
  check_output(options, session.cancel);
  require_models(plan.choice.models);
  plan.facts = make_facts(plan.choice, compute, session);
  plan.facts.int8_keep = choose_kept(options, session.config, plan.grid).text();
  return plan;
}

// Runs the rounds, prints each row when it is measured, and finds the winner.
void run_rounds(PredictTrials& trials, const TuneData& data, const TuneFacts& facts,
                TuneOutcome& outcome) {
  const std::vector<TuneCell> cells = cells_of(outcome.grid);
  print_stdout(head_text(facts, outcome, cells.size()));
  outcome.results = tune_cells(
      cells, outcome.rounds,
      [&](const TuneCell& cell, const TuneRound& round) {
        return measure(trials, data, arguments_of(cell, facts.int8_keep), round);
      },
      [](const TuneResult& result) { print_stdout(row_text(result)); });
  const auto winner = winner_of(outcome.results);
  if (!winner) throw_without_winner(outcome.results);
  outcome.winner = *winner;
}

int run_tune(const TuneOptions& options, const Session& session) {
  auto [choice, facts, grid, size] = make_plan(options, session);
  const fs::path folder = options.output;
  make_directory(folder);
  FolderFiles files(folder, kFiles);
  facts.configuration = (folder / kFiles[0]).string();
  const TemporaryFolder temporary;
  const TuneData data({.file = options.test_file,
                       .sequences = size.sequences,
                       .length = facts.chunk_size,
                       .folder = temporary.path()},
                      session.cancel);
  facts.data = data_text(options, data, facts.chunk_size);
  TuneOutcome outcome{
      .grid = grid,
      .rounds = tune_rounds(data.sequences(), least_sequences(grid, facts), options.quick)};
  const auto say = [&session](const std::string& what) {
    if (!session.global.quiet) terminal_print(what);
  };
  choice.models = with_files(choice.models, folder / "weights", say, session.cancel);
  PredictTrials trials(
      {.program = own_program().file,
       .folder = temporary.path(),
       .arguments = common_arguments(choice.models, facts.chunk_size, facts.device, session)},
      session.cancel);
  run_rounds(trials, data, facts, outcome);
  facts.provenance.driver = trials.driver();
  const Page page = tune_page(facts, outcome);
  files.write({tune_yaml(facts, outcome), tune_json(facts, outcome), report_html(page),
               report_markdown(page)});
  for (const std::string& warning : warnings_of(facts, outcome)) log_warning("{}", warning);
  print_stdout(end_text(facts, outcome));
  say(fmt::format("configuration: {}", printable(facts.configuration)));
  return kExitDone;
}

}  // namespace

void add_tune_command(Command& program) {
  Command& command = program.add_command(
      "tune", "Find the best threads, prefetch and token budget for this machine");
  const auto options = std::make_shared<TuneOptions>();
  add_options(command, *options);
  command.action = [options](Session& session) { return run_tune(*options, session); };
}

}  // namespace virnucpro
