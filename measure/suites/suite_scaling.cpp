#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "measure/suites/suites.hpp"
#include "measure/timing/turns.hpp"

namespace virnucpro {
namespace {

constexpr std::array<std::size_t, 4> kWorkers{1, 2, 4, 8};
constexpr double kNamedImbalance = 0.1;
constexpr std::size_t kFiles = 2;

using ByWorkers = std::map<std::size_t, TrialRepeats>;

// Returns the speed of whole runs, from start to exit, as a multiple of the speed with one worker.
double whole_speedup(const TrialRepeats& several, const TrialRepeats& one) {
  return ratio_of(one.seconds(), several.seconds()).value;
}

// Returns the rate while computing, as a multiple of the rate with one worker.
double steady_speedup(const TrialRepeats& several, const TrialRepeats& one) {
  return ratio_of(several.esm_rates(), one.esm_rates()).value;
}

// The speed-up wanted on `workers` GPUs, and the least accepted. A speed-up between them is a
// warning. PERF-03 judges whole runs, from start to exit; SCALING judges the rates while computing.
struct Bar {
  std::size_t workers;
  double wanted;
  double least;
  std::string_view whole;
  std::string_view steady;
};
constexpr std::array kBars{
    Bar{2, 1.9, 1.6, "speed-up of whole runs on 2 GPUs", "speed-up while computing on 2 GPUs"},
    Bar{4, 3.6, 3.0, "speed-up of whole runs on 4 GPUs", "speed-up while computing on 4 GPUs"},
    Bar{8, 7.2, 6.0, "speed-up of whole runs on 8 GPUs", "speed-up while computing on 8 GPUs"}};

std::size_t most_workers(const SuiteContext& context) {
  return context.on_gpu() ? context.settings.gpus.size() : context.settings.threads;
}

Trial run_with_workers(SuiteContext& context, std::size_t workers, std::uint64_t sequences) {
  Trial trial = context.trials.run({.name = fmt::format("scaling_{}", workers),
                                    .inputs = context.data(sequences),
                                    .arguments = context.worker_arguments(workers)});
  trial.require_computed();
  return trial;
}

// Makes all runs. On several GPUs runs are long and vary little, so two repeats are enough.
ByWorkers run_all(SuiteContext& context) {
  const std::size_t most = most_workers(context);
  const auto sides = static_cast<std::size_t>(
      std::ranges::count_if(kWorkers, [most](std::size_t workers) { return workers <= most; }));
  const bool are_long = context.on_gpu() && sides > 1;
  const std::uint64_t sequences =
      are_long ? context.long_run_sequences() : context.settings.size.sequences;
  const std::size_t repeats =
      are_long ? std::min<std::size_t>(context.repeats(), 2) : context.repeats();
  auto runs_of = trials_in_turns(
      {.sides = sides, .repeats = repeats, .alternate = true},
      [&](std::size_t side) { return run_with_workers(context, kWorkers.at(side), sequences); });
  ByWorkers runs;
  for (std::size_t k = 0; k < sides; ++k) runs.emplace(kWorkers.at(k), std::move(runs_of[k]));
  const auto all = runs.find(most);
  if (are_long && all != runs.end()) context.kept_long_run = all->second.runs.back();
  return runs;
}

double imbalance_of(const TrialRepeats& runs) {
  return spread_of(runs.each(&Trial::imbalance)).median;
}

Table scaling_table(const ByWorkers& runs) {
  Table table{.key = "runs", .caption = "Whole runs by number of workers"};
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
  if (!context.on_gpu()) return "the runs used the CPU, and the requirement is for GPUs";
  const auto found = runs.find(bar.workers);
  if (found == runs.end()) {
    return fmt::format("{} GPUs are needed; this benchmark uses {}", bar.workers,
                       most_workers(context));
  }
  return context.why_brief(found->second.least_computing_seconds());
}

double loading_share(const TrialRepeats& runs) {
  return spread_of(
             runs.each([](const Trial& run) { return run.loading_seconds() / run.end.seconds; }))
      .median;
}

// Skips the verdict if whole runs miss the bar only because of loading: the rates while computing
// reach the bar, and loading takes much of the runs' time.
Verdict judge_whole_runs(const Bar& bar, const ByWorkers& runs, const Verdict& verdict) {
  const TrialRepeats& several = runs.at(bar.workers);
  const double speedup = whole_speedup(several, runs.at(1));
  const double loading = loading_share(several);
  const bool rates_scale = steady_speedup(several, runs.at(1)) >= bar.wanted;
  if (speedup < bar.wanted && rates_scale && loading > kMostLoadingShare) {
    return skipped_verdict(verdict, fmt::format("the speed-up was {:.2f} x, but loading took "
                                                "{:.0f} % of the runs' time: measure longer runs",
                                                speedup, 100 * loading));
  }
  return judged_at_least(verdict, speedup, bar.wanted, bar.least);
}

void judge_scaling(const SuiteContext& context, const ByWorkers& runs, SuiteReport& report) {
  for (const Bar& bar : kBars) {
    const std::string wanted =
        fmt::format(">= {:.1f}; a warning from {:.1f} on", bar.wanted, bar.least);
    const Verdict whole{.id = "PERF-03", .name = bar.whole, .unit = "x", .bar = wanted};
    const Verdict steady{.id = "SCALING", .name = bar.steady, .unit = "x", .bar = wanted};
    const std::string why = why_not(context, bar, runs);
    if (!why.empty()) {
      report.verdicts.push_back(skipped_verdict(whole, why));
      report.verdicts.push_back(skipped_verdict(steady, why));
      continue;
    }
    const double rates = steady_speedup(runs.at(bar.workers), runs.at(1));
    report.verdicts.push_back(judge_whole_runs(bar, runs, whole));
    report.verdicts.push_back(judged_at_least(steady, rates, bar.wanted, bar.least));
  }
}

void add_metrics(const ByWorkers& runs, SuiteContext& context, SuiteReport& report) {
  for (const auto& [workers, repeats] : runs) {
    report.metrics.push_back({fmt::format("scaling.{}.esm_tokens_per_second", workers),
                              fmt::format("ESM-2 tokens with {} workers", workers),
                              Measure::kPerSecond, Better::kHigher, repeats.esm_rates()});
    report.metrics.push_back({fmt::format("scaling.{}.seconds", workers),
                              fmt::format("whole run with {} workers", workers), Measure::kSeconds,
                              Better::kLower, repeats.seconds()});
    context.v2.seconds_by_gpus[workers] = spread_of(repeats.seconds()).median;
    context.v2.speedup_by_gpus[workers] = whole_speedup(repeats, runs.at(1));
  }
}

Plot scaling_plot(const ByWorkers& runs) {
  Plot plot{.key = "speedup",
            .title = "Speed-up by number of workers",
            .kind = PlotKind::kOverNumber,
            .x_label = "workers",
            .y_label = "times the speed of one worker"};
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

// Compares one run over several files, which loads the models once, with separate runs over each
// file, which load the models each time.
void compare_persistence(SuiteContext& context, SuiteReport& report) {
  const std::vector<std::filesystem::path> files =
      context.data(context.settings.size.sequences, kFiles);
  if (files.size() < 2) {
    report.section.fields = {{"persistence_saves", "time saved by loading the models once",
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
      {"models_anew_seconds", "the same files, each in its own run", anew, Measure::kSeconds},
      {"persistence_saves", "time saved by loading the models once", 1 - kept / anew,
       Measure::kShare}};
}

std::string imbalance_note(const ByWorkers& runs) {
  std::string note;
  for (const auto& [workers, repeats] : runs) {
    const double imbalance = imbalance_of(repeats);
    if (workers == 1 || imbalance <= kNamedImbalance) continue;
    note += fmt::format(
        " With {} workers, the least busy one worked {:.0f} % less than the busiest one, {}.",
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
