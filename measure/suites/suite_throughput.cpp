#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "measure/suites/suites.hpp"
#include "measure/timing/host_stages.hpp"
#include "measure/timing/stage_rates.hpp"
#include "report/page_sections.hpp"
#include "weights/load.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsAModel = 2;
constexpr double kSecondsAModelQuick = 0.5;

constexpr const char* kTogether = "translate and tokenize";  // a run times both together
constexpr const char* kClassify = "merge and classify";

// A stage's figures in the report.
struct StageFigures {
  StageRate rate{};
  std::vector<double> rates{};  // sequences per second of each repeat
  std::optional<double> tokens_per_second{};
  std::optional<double> run_tokens_per_second{};  // in a whole run, while the stage runs
  std::optional<double> busy_share{};             // share of the time in which the device computed
  std::optional<double> share{};                  // the stage's share of a whole run's time
  std::optional<double> memory_bytes{};           // the stage's peak when it ran alone
  std::optional<double> gpu_percent{};            // GPU use in a whole run, while the stage runs
};

// Returns a stage of the whole run's telemetry; `name` is its name in the telemetry.
std::optional<RunTelemetry::Stage> recorded_stage(const Trial& trial, std::string_view name) {
  for (const RunTelemetry::Stage& stage : trial.telemetry.stages) {
    if (stage.name == name) return stage;
  }
  return std::nullopt;
}

HostStages measure_host(SuiteContext& context) {
  const DnabertWeights weights =
      load_dnabert_s(context.settings.models.dnabert_s, context.settings.models.lookup);
  const DnaTokenizer tokenizer = DnaTokenizer::load(weights.tokenizer);
  return measure_host_stages({.inputs = context.data(context.settings.size.sequences),
                              .chunk_size = context.settings.chunk_size},
                             tokenizer, context.cancel);
}

std::vector<double> rates_of(const std::vector<double>& repeats, std::uint64_t sequences) {
  std::vector<double> rates;
  for (const double seconds : repeats) rates.push_back(static_cast<double>(sequences) / seconds);
  return rates;
}

StageFigures stage_figures(const char* name, StageClock clock, std::vector<double> rates,
                           const std::optional<RunTelemetry::Stage>& whole) {
  const double median = spread_of(rates).median;
  const std::string_view stage = name;
  const bool on_many_threads = stage == "translate" || stage == "tokenize";
  StageFigures figures{.rate = {name, clock, median, on_many_threads}, .rates = std::move(rates)};
  if (whole) figures.share = whole->share;
  return figures;
}

// Returns the largest file: `profile` accepts one file, and the largest has the most frames.
fs::path largest_file(const std::vector<fs::path>& files) {
  return *std::ranges::max_element(files, {}, [](const fs::path& file) {
    std::error_code unknown;
    return fs::file_size(file, unknown);
  });
}

// Measures ESM-2 or DNABERT-S with the command `profile`, over batches packed in advance.
StageFigures model_figures(SuiteContext& context, const char* model, const char* stage,
                           double tokens_a_sequence, const Trial& whole) {
  const auto budget = std::to_string(whole.telemetry.settings.token_budget.value_or(0));
  const JsonValues profile = profile_model(
      context, fmt::format("profile_{}", stage), model,
      {"--threads", std::to_string(context.settings.threads), "--min-batch", budget, "--max-batch",
       budget, "--seconds",
       fmt::format("{}", context.settings.quick ? kSecondsAModelQuick : kSecondsAModel),
       "--test-file", largest_file(context.data(context.settings.size.sequences)).string()});
  std::vector<double> rates;
  for (std::size_t k = 0; k < profile.elements("rows/0/rates"); ++k) {
    rates.push_back(profile.number(fmt::format("rows/0/rates/{}", k)).value_or(0) /
                    tokens_a_sequence);
  }
  if (rates.empty())
    throw Error(ErrorKind::kBenchmark,
                fmt::format("the command profile --model {} measured no rate", model));
  StageFigures figures =
      stage_figures(stage, StageClock::kDevice, std::move(rates), recorded_stage(whole, stage));
  figures.tokens_per_second = profile.number("rows/0/tokens_per_second");
  figures.busy_share = profile.number("rows/0/device_busy_share");
  figures.memory_bytes = profiled_memory(profile, "peak_bytes");
  if (const auto in_run = recorded_stage(whole, stage)) {
    figures.gpu_percent = in_run->utilization_percent;
    figures.run_tokens_per_second = in_run->tokens_per_second;
  }
  return figures;
}

// Adds a stage that cannot run alone, with its rate in the whole run.
void add_of_whole(const Trial& whole, const char* stage_name, const char* name, StageClock clock,
                  std::vector<StageFigures>& all) {
  const std::optional<RunTelemetry::Stage> stage = recorded_stage(whole, stage_name);
  if (!stage || or_zero(stage->seconds) <= 0) return;
  all.push_back(stage_figures(name, clock, {whole.sequences() / *stage->seconds}, stage));
}

double a_sequence(std::uint64_t amount, const HostStages& host) {
  return static_cast<double>(amount) / static_cast<double>(host.sequences);
}

std::vector<StageFigures> measure_all(SuiteContext& context, const HostStages& host,
                                      const Trial& whole) {
  std::vector<StageFigures> all;
  for (const HostStage& stage : host.stages) {
    const bool is_timed_alone = stage.name != "translate";  // "translate" is part of kTogether
    all.push_back(stage_figures(stage.name.c_str(), StageClock::kHost,
                                rates_of(stage.seconds, host.sequences),
                                is_timed_alone ? recorded_stage(whole, stage.name) : std::nullopt));
    if (stage.peak_bytes) all.back().memory_bytes = static_cast<double>(*stage.peak_bytes);
  }
  all.push_back(model_figures(context, "esm2", "esm2", a_sequence(host.esm_tokens, host), whole));
  all.push_back(
      model_figures(context, "dnabert-s", "dnabert_s", a_sequence(host.dna_tokens, host), whole));
  add_of_whole(whole, "translate", kTogether, StageClock::kHost, all);
  // Merging is not a separate step: both models write their halves of the same row.
  add_of_whole(whole, "classifier", kClassify, StageClock::kDevice, all);
  add_of_whole(whole, "journal", "journal", StageClock::kHost, all);
  add_of_whole(whole, "tables", "write", StageClock::kHost, all);
  return all;
}

Table stage_table(const std::vector<StageFigures>& stages) {
  Table table{.key = "stages", .caption = "Stages, each on one host thread or one device"};
  table.columns = {{"stage", "Stage"},
                   {"clock", "On"},
                   {"sequences_per_second", "Sequences", Measure::kPerSecond},
                   {"spread", "Spread", Measure::kShare},
                   {"repeats", "Repeats", Measure::kCount},
                   {"tokens_per_second", "Tokens", Measure::kPerSecond},
                   {"busy_share", "Device busy", Measure::kShare},
                   {"share", "Share of a run's time", Measure::kShare},
                   {"run_tokens_per_second", "Tokens in a whole run", Measure::kPerSecond},
                   {"gpu_percent", "GPU use in a whole run", Measure::kPercent},
                   {"memory_bytes", "Memory", Measure::kBytes}};
  for (const StageFigures& stage : stages) {
    const Spread spread = spread_of(stage.rates);
    table.rows.push_back(
        {stage.rate.name, std::string(name_of(stage.rate.clock)), spread.median,
         spread.count > 1 ? Value{spread.interquartile_range() / spread.median} : Value{},
         std::uint64_t{spread.count}, measured(stage.tokens_per_second), measured(stage.busy_share),
         measured(stage.share), measured(stage.run_tokens_per_second), measured(stage.gpu_percent),
         measured(stage.memory_bytes)});
  }
  return table;
}

Plot share_plot(const std::vector<StageFigures>& stages) {
  Plot plot{
      .key = "shares",
      .title = "Shares of a whole run's time; stages of the host run in parallel with the device's",
      .kind = PlotKind::kRows,
      .y_label = "share of the time",
      .unit = Measure::kShare};
  for (const StageFigures& stage : stages) {
    if (stage.share) plot.bars.push_back({stage.rate.name, stage.rate.name, *stage.share});
  }
  return plot;
}

Table bottleneck_table(const Trial& whole) {
  Table table{.key = "bottlenecks", .caption = "What held the whole run back"};
  table.columns = {{"stage", "Stage"},
                   {"share", "Share", Measure::kShare},
                   {"cause", "Cause"},
                   {"advice", "What to change"}};
  for (const RunTelemetry::Bottleneck& found : whole.telemetry.bottlenecks) {
    table.rows.push_back({found.stage.value_or(""), or_zero(found.share), found.cause.value_or(""),
                          found.advice.value_or("")});
  }
  return table;
}

std::string slowest_note(const SuiteContext& context, const std::vector<StageFigures>& stages) {
  std::vector<StageRate> rates;
  for (const StageFigures& stage : stages) {
    const std::string& name = stage.rate.name;
    // `write` runs after all other stages, and the parts of kTogether are counted one by one.
    if (name == "write" || name == kTogether) continue;
    rates.push_back(stage.rate);
  }
  const SlowestStage slowest = slowest_stage(
      rates, context.settings.threads, std::max<std::size_t>(context.settings.gpus.size(), 1));
  const auto rate = [](double a_second) {
    return grouped(static_cast<std::uint64_t>(std::llround(a_second)));
  };
  return fmt::format(
      "The slower side is the {}: by itself the host would do {} sequences a second with all its "
      "threads, and the device {}. The stage {} takes {:.0f} % of the slower side's time.",
      name_of(slowest.clock), rate(slowest.host_sequences_per_second),
      rate(slowest.device_sequences_per_second), slowest.name, 100 * slowest.share);
}

std::vector<Verdict> judge_whole(const SuiteContext& context, const Trial& whole) {
  std::vector<Verdict> verdicts;
  for (Verdict& verdict : whole.judged(context.settings.gpus.size(), context.settings.thresholds)) {
    // The suites `end-to-end` and `scaling` judge PERF-01 and PERF-03.
    if (verdict.id != "PERF-01" && verdict.id != "PERF-03") verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

// Returns the name of a stage in v2's files.
std::string v2_name(const std::string& stage) {
  if (stage == "translate") return "translation";
  if (stage == "dnabert_s") return "dnabert";
  return stage == kClassify ? "prediction" : stage;
}

void keep_figures(const std::vector<StageFigures>& stages, const Trial& whole,
                  SuiteContext& context, SuiteReport& report) {
  for (const StageFigures& stage : stages) {
    const double rate = stage.rate.sequences_per_second;
    if (stage.rates.size() > 1) {  // the stage was also measured alone
      report.metrics.push_back({fmt::format("throughput.{}.sequences_per_second", stage.rate.name),
                                fmt::format("{}, measured alone", stage.rate.name),
                                Measure::kPerSecond, Better::kHigher, stage.rates});
    }
    V2Figures::Stage v2{.seconds = whole.sequences() / rate, .sequences_per_second = rate};
    v2.gpu_percent = stage.gpu_percent;
    context.v2.stages[v2_name(stage.rate.name)] = v2;
  }
}

}  // namespace

void run_throughput_suite(SuiteContext& context, SuiteReport& report) {
  const Trial& whole = context.whole_run();
  const HostStages host = measure_host(context);
  const std::vector<StageFigures> stages = measure_all(context, host, whole);
  report.section.note = slowest_note(context, stages);
  report.section.tables = {stage_table(stages), bottleneck_table(whole)};
  report.section.plots = {share_plot(stages)};
  report.brief = !context.why_brief(whole.computing_seconds()).empty();
  report.verdicts = judge_whole(context, whole);
  keep_figures(stages, whole, context, report);
}

// Runs `tune` with the benchmark's own number of threads only, so that the grid is small.
void run_tune_suite(SuiteContext& context, SuiteReport& report) {
  constexpr std::uint64_t kMostTuned = 10'000;  // sequences; the default of `tune` on a GPU
  const BenchmarkSettings& settings = context.settings;
  const TemporaryFolder folder;
  const auto input = context.data_file(std::min(settings.size.sequences, kMostTuned));
  std::vector<std::string> command = settings.tune_arguments;
  command.insert(command.end(), {"--precisions", settings.precision, "--threads-grid",
                                 std::to_string(settings.threads), "--test-file", input.string(),
                                 "--quick", "-o", folder.path() / "tune"});
  context.trials.run_command("tune", std::move(command));
  const JsonValues tuned = JsonValues::read(folder.path() / "tune" / "tune.json");
  report.section.note = tuned.text("winner/why").value_or("");
  Table table{.key = "cells", .caption = "Every combination of settings, in its last round"};
  table.columns = {{"token_budget", "Token budget", Measure::kCount},
                   {"prefetch", "Prefetch", Measure::kCount},
                   {"sequences_per_second", "Sequences", Measure::kPerSecond},
                   {"relative", "Relative to the fastest", Measure::kShare}};
  for (std::size_t k = 0; k < tuned.elements("cells"); ++k) {
    std::vector<Value>& row = table.rows.emplace_back();
    for (const Column& column : table.columns) {
      row.push_back(measured(tuned.number(fmt::format("cells/{}/{}", k, column.key))));
    }
  }
  report.section.tables.push_back(std::move(table));
}

}  // namespace virnucpro
