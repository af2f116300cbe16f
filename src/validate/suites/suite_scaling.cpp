#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "validate/measure/turns.hpp"
#include "validate/suites/suites.hpp"

namespace virnucpro {
namespace {

constexpr std::array<std::size_t, 4> kWorkers{1, 2, 4, 8};
constexpr double kNamedImbalance = 0.1;
constexpr std::size_t kFiles = 2;

using ByWorkers = std::map<std::size_t, TrialRepeats>;

// The speed-up over one worker, from start to exit.
double whole_speedup(const TrialRepeats& several, const TrialRepeats& one) {
  return ratio_of(one.seconds(), several.seconds()).value;
}

// The speed-up of the rate while computing.
double steady_speedup(const TrialRepeats& several, const TrialRepeats& one) {
  return ratio_of(several.esm_rates(), one.esm_rates()).value;
}

// The speed-up that this number of workers should reach.
struct Bar {
  std::size_t workers;
  double (*speedup)(const TrialRepeats& several, const TrialRepeats& one);
  double least;
  std::string_view id;
  std::string_view name;
};
constexpr std::array kBars{
    Bar{2, whole_speedup, 1.6, "SCALING", "speed-up of whole runs on 2 GPUs"},
    Bar{2, steady_speedup, 1.9, "PERF-03", "speed-up while computing on 2 GPUs"},
    Bar{4, whole_speedup, 3.0, "SCALING", "speed-up of whole runs on 4 GPUs"},
    Bar{4, steady_speedup, 3.6, "PERF-03", "speed-up while computing on 4 GPUs"},
    Bar{8, whole_speedup, 6.0, "SCALING", "speed-up of whole runs on 8 GPUs"},
    Bar{8, steady_speedup, 7.2, "PERF-03", "speed-up while computing on 8 GPUs"}};

std::size_t most_workers(const SuiteContext& context) {
  return context.on_gpu() ? context.settings.gpus.size() : context.settings.threads;
}

Trial run_with_workers(SuiteContext& context, std::size_t workers) {
  TrialCall call = context.whole_run_call(fmt::format("scaling_{}", workers));
  call.arguments = context.worker_arguments(workers);
  Trial trial = context.trials.run(call);
  trial.require_computed();
  return trial;
}

ByWorkers run_all(SuiteContext& context) {
  const auto sides = static_cast<std::size_t>(std::ranges::count_if(
      kWorkers, [&](std::size_t workers) { return workers <= most_workers(context); }));
  auto repeats = trials_in_turns(
      {.sides = sides, .repeats = context.repeats()},
      [&context](std::size_t side) { return run_with_workers(context, kWorkers.at(side)); });
  ByWorkers runs;
  for (std::size_t k = 0; k < sides; ++k) runs.emplace(kWorkers.at(k), std::move(repeats[k]));
  return runs;
}

double imbalance_of(const TrialRepeats& runs) {
  return spread_of(runs.each(&Trial::imbalance)).median;
}

Table scaling_table(const ByWorkers& runs) {
  Table table{.key = "runs", .caption = "Whole runs by workers"};
  table.columns = {{"workers", "Workers", Measure::kCount},
                   {"seconds", "Time", Measure::kSeconds},
                   {"speedup", "Speed-up"},
                   {"esm_tokens_per_second", "ESM-2 tokens", Measure::kPerSecond},
                   {"steady_speedup", "Speed-up while computing"},
                   {"efficiency", "Efficiency", Measure::kShare},
                   {"imbalance", "Imbalance", Measure::kShare}};
  const TrialRepeats& one = runs.at(1);
  for (const auto& [workers, repeats] : runs) {
    const std::vector<double> seconds = repeats.seconds();
    const std::vector<double> rates = repeats.esm_rates();
    const Estimate steady = ratio_of(rates, one.esm_rates());
    table.rows.push_back({std::uint64_t{workers}, spread_of(seconds).median,
                          workers == 1 ? "1" : estimate_text(ratio_of(one.seconds(), seconds)),
                          spread_of(rates).median, workers == 1 ? "1" : estimate_text(steady),
                          steady.value / static_cast<double>(workers), imbalance_of(repeats)});
  }
  return table;
}

std::string why_not(const SuiteContext& context, const Bar& bar, const ByWorkers& runs) {
  if (!context.on_gpu()) return "it ran on the CPU's workers, and the bar is for GPUs";
  const auto found = runs.find(bar.workers);
  if (found == runs.end()) {
    return fmt::format("there are too few GPUs: {} here", most_workers(context));
  }
  return context.why_brief(found->second.least_computing_seconds());
}

void judge_scaling(const SuiteContext& context, const ByWorkers& runs, SuiteReport& report) {
  for (const Bar& bar : kBars) {
    const Verdict verdict{
        .id = bar.id, .name = bar.name, .unit = "x", .bar = fmt::format(">= {:.1f}", bar.least)};
    const std::string why = why_not(context, bar, runs);
    report.verdicts.push_back(
        why.empty() ? judged(verdict, bar.speedup(runs.at(bar.workers), runs.at(1)), bar.least)
                    : skipped_verdict(verdict, why));
  }
}

void add_metrics(const ByWorkers& runs, SuiteContext& context, SuiteReport& report) {
  for (const auto& [workers, repeats] : runs) {
    report.metrics.push_back({fmt::format("scaling.{}.esm_tokens_per_second", workers),
                              fmt::format("ESM-2 tokens of {} workers", workers),
                              Measure::kPerSecond, Better::kHigher, repeats.esm_rates()});
    report.metrics.push_back({fmt::format("scaling.{}.seconds", workers),
                              fmt::format("whole run of {} workers", workers), Measure::kSeconds,
                              Better::kLower, repeats.seconds()});
    context.v2.seconds_by_gpus[workers] = spread_of(repeats.seconds()).median;
    context.v2.speedup_by_gpus[workers] = whole_speedup(repeats, runs.at(1));
  }
}

Plot scaling_plot(const ByWorkers& runs) {
  Plot plot{.key = "speedup",
            .title = "Speed-up by workers",
            .kind = PlotKind::kOverNumber,
            .x_label = "workers",
            .y_label = "times one worker"};
  plot.lines = {{"while computing", {}}, {"whole run", {}}, {"linear", {}}};
  const TrialRepeats& one = runs.at(1);
  for (const auto& [workers, repeats] : runs) {
    const auto x = static_cast<double>(workers);
    plot.lines[0].points.push_back({x, steady_speedup(repeats, one)});
    plot.lines[1].points.push_back({x, whole_speedup(repeats, one)});
    plot.lines[2].points.push_back({x, x});
  }
  return plot;
}

// Models are loaded once for all files of a run. Compares this with one run per file, which loads
// them each time.
void compare_persistence(SuiteContext& context, SuiteReport& report) {
  const std::vector<std::filesystem::path> files =
      context.data(context.settings.size.sequences, kFiles);
  if (files.size() < 2) {
    report.section.fields = {{"persistence_saves", "saved by keeping the models",
                              "not measured: there is only one sequence"}};
    return;
  }
  const auto run = [&context](const std::vector<std::filesystem::path>& inputs) {
    return context.trials
        .run({.name = "persistent", .inputs = inputs, .arguments = context.whole_run_arguments()})
        .end.seconds;
  };
  const double kept = run(files);
  double anew = 0;
  for (const std::filesystem::path& file : files) anew += run({file});
  const std::string in_one = fmt::format("{} files in one run", files.size());
  report.section.fields = {
      {"models_kept_seconds", in_one, kept, Measure::kSeconds},
      {"models_anew_seconds", "the same, models loaded for each", anew, Measure::kSeconds},
      {"persistence_saves", "saved by keeping the models", 1 - kept / anew, Measure::kShare}};
}

std::string imbalance_note(const ByWorkers& runs) {
  std::string note;
  for (const auto& [workers, repeats] : runs) {
    const double imbalance = imbalance_of(repeats);
    if (workers == 1 || imbalance <= kNamedImbalance) continue;
    note +=
        fmt::format(" Of {} workers the least busy one worked {:.0f} % less than {}, the busiest.",
                    workers, 100 * imbalance, repeats.runs.back().slowest_worker());
  }
  return note;
}

}  // namespace

void run_scaling_suite(SuiteContext& context, SuiteReport& report) {
  const ByWorkers runs = run_all(context);
  report.section.tables.push_back(scaling_table(runs));
  if (runs.size() > 1) report.section.plots.push_back(scaling_plot(runs));
  report.section.note = context.on_gpu() ? "A worker is a process on a GPU of its own."
                                         : "A worker is a process on the CPU, with one thread.";
  report.section.note += imbalance_note(runs);
  report.brief = std::ranges::any_of(runs, [&context](const auto& entry) {
    return !context.why_brief(entry.second.least_computing_seconds()).empty();
  });
  judge_scaling(context, runs, report);
  add_metrics(runs, context, report);
  compare_persistence(context, report);
}

}  // namespace virnucpro
