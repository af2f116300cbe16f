#include "measure/suites/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "measure/datasets/data_set.hpp"
#include "measure/datasets/sequence_parts.hpp"
#include "measure/suites/suites.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// A long run is made longer than kMostLoadingShare requires, because loading times vary.
constexpr double kLoadingMargin = 1.1;
// The least and the most seconds that a long run computes on all GPUs. The least is enough to show
// growth of memory. On several GPUs, slow loading of models makes the run longer.
constexpr double kShortestLongRun = 45;
constexpr double kLongestRun = 600;

// `scaling` comes before `memory`, because `memory` uses the long run of `scaling`.
constexpr std::array kSuites{
    SuiteEntry{"throughput", "Stages, each alone", run_throughput_suite,
               "PERF-02,PERF-04,PERF-05,MON-01,MON-03,PREC-01"},
    SuiteEntry{"scaling", "Scaling over workers", run_scaling_suite, "PERF-03,SCALING"},
    SuiteEntry{"memory", "Memory", run_memory_suite, "MEM-GROWTH,MEM-EFFICIENCY,MEM-FRAGMENTATION"},
    SuiteEntry{"end-to-end", "Whole runs, and projected times", run_end_to_end_suite,
               "PERF-01,PERF-05"},
    SuiteEntry{"equivalence", "Equal results", run_equivalence_suite,
               "IDENTITY,PRECISION,EQUIV-BASELINE,EQUIV-BASELINE-OWN,EQUIV-BASELINE-FP32,"
               "EQUIV-BASELINE-FP32-OWN,EQUIV-VANILLA,EQUIV-VANILLA-OWN,EQUIV-VANILLA-FP32,"
               "EQUIV-VANILLA-FP32-OWN"},
    SuiteEntry{"v1-comparison", "Compared with the original", run_v1_comparison_suite,
               "V1-SPEED,V1-SPEED-OWN"},
    SuiteEntry{"checkpoint-overhead", "What the journal costs", run_checkpoint_suite, "CHECKPOINT"},
    SuiteEntry{"tune", "Token budgets and prefetch, measured by tune", run_tune_suite, ""},
};

// A name that stands for several suites, or a suite's name in v2.
struct Alias {
  std::string_view name;
  std::string_view suites;
};
constexpr std::string_view kAll =
    "throughput,scaling,memory,end-to-end,equivalence,v1-comparison,checkpoint-overhead";
constexpr std::array kAliases{Alias{"all", kAll}, Alias{"v2-validation", kAll},
                              Alias{"v2-scaling", "scaling"},
                              Alias{"v2-throughput", "throughput,tune"}};

std::string_view without_alias(std::string_view name) {
  const auto* const found = std::ranges::find(kAliases, name, &Alias::name);
  return found == kAliases.end() ? name : found->suites;
}

void check_known(const char* flag, std::string_view name,
                 const std::vector<std::string_view>& known) {
  if (std::ranges::find(known, name) != known.end()) return;
  throw Error(ErrorKind::kUsage, fmt::format("{} {}: expected {}{}", flag, name,
                                             fmt::join(known, ", "), did_you_mean(name, known)));
}

// Returns the suites that judge a requirement: "throughput or end-to-end".
std::string judges_of(std::string_view id) {
  std::vector<std::string_view> names;
  for (const SuiteEntry& suite : kSuites) {
    if (is_listed(id, suite.ids)) names.push_back(suite.name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

// Records why the suite failed, also as a skipped verdict for the whole suite.
void fail_suite(const SuiteEntry& suite, const std::string& why, SuiteReport& report) {
  report.failure = why;
  report.verdicts.push_back(
      skipped_verdict({.id = suite.name, .name = suite.title},
                      fmt::format("the suite was not run to its end: {}", why)));
}

SuiteReport run_suite(const SuiteEntry& suite, SuiteContext& context) {
  SuiteReport report{.name = std::string(suite.name)};
  report.section.key = suite.name;
  report.section.title = suite.title;
  if (context.cancel.requested()) {
    fail_suite(suite, "the benchmark was interrupted before this suite began", report);
    return report;
  }
  context.say(fmt::format("{}: {}", suite.name, suite.title));
  const StopWatch watch;
  try {
    suite.run(context, report);
  } catch (const Error& error) {
    fail_suite(suite,
               context.cancel.requested() ? "the benchmark was interrupted" : reason_of(error),
               report);
    log_warning("suite {} could not be run to its end: {}", suite.name, report.failure);
  }
  report.seconds = watch.seconds();
  return report;
}

// With int8 on a GPU, makes one run that is not measured: the first run may calibrate for minutes.
void calibrate_once(SuiteContext& context) {
  if (!context.on_gpu() || context.settings.precision != "int8") return;
  context.say("int8: one run of predict that is not measured, so that the cache has a calibration");
  try {
    context.trials.run({.name = "calibration",
                        .inputs = context.data(1),
                        .arguments = context.whole_run_arguments()});
  } catch (const Error& error) {
    log_warning("int8 could not be calibrated: {}", reason_of(error));
  }
}

}  // namespace

std::string reason_of(const Error& error) {
  return error.kind() == ErrorKind::kBenchmark && error.place().file.empty() ? error.detail()
                                                                             : error.what();
}

std::vector<std::string> SuiteContext::worker_arguments(std::size_t workers) const {
  if (!on_gpu()) {
    const std::string count = std::to_string(workers);
    return {"--device", "cpu", "--cpu-workers", count, "--threads", count};
  }
  std::vector<int> indices;
  for (std::size_t k = 0; k < workers; ++k) indices.push_back(settings.gpus[k].index);
  return {"--device", fmt::format("cuda:{}", fmt::join(indices, ",")), "--threads",
          std::to_string(settings.threads)};
}

std::vector<std::string> SuiteContext::whole_run_arguments() const {
  if (on_gpu()) return worker_arguments(settings.gpus.size());
  return {"--device",      "cpu",
          "--threads",     std::to_string(settings.threads),
          "--cpu-workers", std::to_string(settings.cpu_workers)};
}

std::vector<std::string> SuiteContext::fp32_run_arguments() const {
  std::vector<std::string> arguments = whole_run_arguments();
  arguments.insert(arguments.end(), {"--precision", "fp32", "--int8-keep", "none", "--calibration",
                                     "none", "--margin", "0"});
  return arguments;
}

TrialCall SuiteContext::whole_run_call(std::string name) const {
  return {.name = std::move(name),
          .inputs = data(settings.size.sequences),
          .arguments = whole_run_arguments()};
}

const Trial& SuiteContext::whole_run() {
  if (!kept_run) kept_run = trials.run(whole_run_call("whole"));
  return *kept_run;
}

std::uint64_t SuiteContext::long_run_sequences() {
  const std::uint64_t all = settings.size.sequences;
  if (!on_gpu() || settings.quick || !settings.samples.empty()) return all;
  const Trial& whole = whole_run();
  whole.require_computed();
  const double loaded = whole.loading_seconds() * kLoadingMargin / kMostLoadingShare;
  const double seconds = settings.gpus.size() > 1
                             ? std::clamp(loaded, kShortestLongRun, kLongestRun)
                             : kShortestLongRun;
  const double times = std::max(1.0, seconds / whole.computing_seconds());
  return static_cast<std::uint64_t>(std::ceil(times * static_cast<double>(all)));
}

const Trial& SuiteContext::long_run() {
  if (kept_long_run) return *kept_long_run;
  const std::uint64_t sequences = long_run_sequences();
  if (sequences == settings.size.sequences) return whole_run();
  kept_long_run =
      trials.run({.name = "long", .inputs = data(sequences), .arguments = whole_run_arguments()});
  return *kept_long_run;
}

std::vector<fs::path> SuiteContext::data(std::uint64_t sequences, std::size_t files) const {
  if (settings.samples.empty()) return made_up(settings.size.lengths, sequences, files);
  const bool is_all = sequences >= settings.size.sequences;
  return is_all && files == 1 ? settings.samples : first_samples(sequences, files);
}

std::vector<fs::path> SuiteContext::made_up(const LengthDistribution& lengths,
                                            std::uint64_t sequences, std::size_t files) const {
  const Directory folder = Directory(settings.output).make_folder("data");
  std::string name = fmt::format("coding_{}_{}", sequences, lengths_text(lengths));
  std::ranges::replace_if(
      name, [](char letter) { return letter == ':' || letter == ','; }, '_');
  const fs::path place =
      folder.path_of(name + (files == 1 ? std::string(".fa") : fmt::format("_{}_files", files)));
  const DataSetSettings wanted{
      .sequences = {.count = sequences, .length = lengths, .coding = {1, 1}},
      .files = std::min<std::uint64_t>(files, sequences)};
  generate_data_set(wanted, place, cancel);
  return data_files(place, wanted.files);
}

fs::path SuiteContext::data_file(std::uint64_t sequences) const {
  const std::vector<fs::path> found = data(sequences);
  return found.size() == 1 ? found.front() : first_samples(sequences, 1).front();
}

std::string SuiteContext::why_brief(double computing_seconds) const {
  return too_short(computing_seconds, settings.thresholds);
}

std::vector<fs::path> SuiteContext::first_samples(std::uint64_t sequences,
                                                  std::size_t files) const {
  const fs::path folder = Directory(settings.output).make_folder("data").path();
  const std::uint64_t count = std::min(sequences, settings.size.sequences);
  std::vector<fs::path> parts;
  for (std::size_t k = 0; k < std::min<std::uint64_t>(files, count); ++k) {
    parts.push_back(folder / fmt::format("first_{}_part_{}_of_{}.fa", count, k + 1, files));
  }
  write_parts(settings.samples, count, parts, cancel);
  return parts;
}

PredictTrials trials_in(const BenchmarkSettings& settings, const char* folder,
                        const Cancel& cancel) {
  return {{.program = settings.program,
           .folder = Directory(settings.output).make_folder(folder).path(),
           .arguments = settings.model_arguments,
           .run = settings.run},
          cancel};
}

std::span<const SuiteEntry> suite_table() {
  return kSuites;
}

bool is_listed(std::string_view name, std::string_view list) {
  return std::ranges::count(split_list(list), name) > 0;
}

std::vector<const SuiteEntry*> find_suites(std::string_view names) {
  std::vector<std::string_view> known;
  for (const SuiteEntry& suite : kSuites) known.push_back(suite.name);
  for (const Alias& alias : kAliases) known.push_back(alias.name);
  std::vector<const SuiteEntry*> suites;
  for (const std::string_view name : split_list(names)) check_known("--suite", name, known);
  for (const SuiteEntry& suite : kSuites) {
    const auto is_in = [&suite](std::string_view name) {
      return is_listed(suite.name, without_alias(name));
    };
    if (std::ranges::any_of(split_list(names), is_in)) suites.push_back(&suite);
  }
  return suites;
}

void check_required(std::string_view ids, const std::vector<const SuiteEntry*>& suites) {
  if (ids.empty()) return;
  std::vector<std::string_view> known;
  for (const SuiteEntry* suite : find_suites("all")) {
    for (const std::string_view id : split_list(suite->ids)) {
      if (std::ranges::count(known, id) == 0) known.push_back(id);
    }
  }
  for (const std::string_view id : split_list(ids)) {
    const auto judges = [id](const SuiteEntry* suite) { return is_listed(id, suite->ids); };
    if (std::ranges::any_of(suites, judges)) continue;
    check_known("--require", id, known);
    throw Error(ErrorKind::kNotJudged,
                fmt::format("--require {}: no suite named by --suite judges it", id))
        .advised(fmt::format("Add a suite for this requirement to --suite: {}.", judges_of(id)));
  }
}

BenchmarkResults run_benchmark(const BenchmarkSettings& settings,
                               const std::vector<const SuiteEntry*>& suites, const Cancel& cancel,
                               const std::function<void(const std::string&)>& say) {
  PredictTrials trials = trials_in(settings, "runs", cancel);
  BenchmarkResults results;
  SuiteContext context{
      .settings = settings, .trials = trials, .cancel = cancel, .v2 = results.v2, .say = say};
  calibrate_once(context);
  for (const SuiteEntry* suite : suites) results.suites.push_back(run_suite(*suite, context));
  results.driver = trials.driver();
  results.clock = trials.clock();
  return results;
}

}  // namespace virnucpro
