#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/error.hpp"
#include "validate/suites/suites.hpp"

namespace virnucpro {
namespace {

constexpr std::array<std::size_t, 4> kWorkers{1, 2, 4, 8};
constexpr double kNamedImbalance = 0.1;
constexpr std::size_t kFiles = 2;

// The repeats of runs on one number of workers.
struct Repeats {
  std::vector<double> wall;   // seconds of the whole process
  std::vector<double> rates;  // ESM-2 tokens a second while it computed
  std::vector<double> imbalances;
  double computing_seconds = 0;  // of the shortest run
  std::string slowest{};         // the slowest worker of the last run
};

using ByWorkers = std::map<std::size_t, Repeats>;

// The speed-up that so many workers should reach.
struct Bar {
  std::size_t workers;
  double wall;    // for whole runs, start to end
  double steady;  // PERF-03, for the rate while they compute
};
constexpr std::array kBars{Bar{2, 1.6, 1.9}, Bar{4, 3.0, 3.6}, Bar{8, 6.0, 7.2}};

std::size_t most_workers(const SuiteContext& context) {
  return context.on_gpu() ? context.settings.gpus.size() : context.settings.threads;
}

void run_once(SuiteContext& context, std::size_t workers, Repeats& repeats) {
  const Trial trial = context.trials.run({.name = fmt::format("scaling_{}", workers),
                                          .inputs = context.data(context.settings.size.sequences),
                                          .arguments = context.worker_arguments(workers)});
  const double computing = trial.computing_seconds();
  if (computing <= 0) {
    throw Error(ErrorKind::kBenchmark, "no sequence had a stop-free frame to be computed");
  }
  repeats.computing_seconds =
      repeats.wall.empty() ? computing : std::min(repeats.computing_seconds, computing);
  repeats.wall.push_back(trial.end.seconds);
  repeats.rates.push_back(trial.esm_tokens_per_second());
  repeats.imbalances.push_back(trial.imbalance());
  repeats.slowest = trial.slowest_worker();
}

// Runs alternate, so that disturbances of the machine affect all.
ByWorkers run_all(SuiteContext& context) {
  ByWorkers runs;
  for (std::size_t repeat = 0; repeat < context.repeats(); ++repeat) {
    for (const std::size_t workers : kWorkers) {
      if (workers <= most_workers(context)) run_once(context, workers, runs[workers]);
    }
  }
  return runs;
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
  const Repeats& one = runs.at(1);
  for (const auto& [workers, repeats] : runs) {
    const Estimate steady = ratio_of(repeats.rates, one.rates);
    table.rows.push_back(
        {std::uint64_t{workers}, spread_of(repeats.wall).median,
         workers == 1 ? "1" : estimate_text(ratio_of(one.wall, repeats.wall)),
         spread_of(repeats.rates).median, workers == 1 ? "1" : estimate_text(steady),
         steady.value / static_cast<double>(workers), spread_of(repeats.imbalances).median});
  }
  return table;
}

Verdict wall_verdict(const Bar& bar) {
  return {.id = "SCALING",
          .name = bar.workers == 2   ? "speed-up of whole runs on 2 GPUs"
                  : bar.workers == 4 ? "speed-up of whole runs on 4 GPUs"
                                     : "speed-up of whole runs on 8 GPUs",
          .unit = "x",
          .bar = fmt::format(">= {:.1f}", bar.wall)};
}

Verdict steady_verdict(const Bar& bar) {
  return {.id = "PERF-03",
          .name = bar.workers == 2   ? "speed-up while computing on 2 GPUs"
                  : bar.workers == 4 ? "speed-up while computing on 4 GPUs"
                                     : "speed-up while computing on 8 GPUs",
          .unit = "x",
          .bar = fmt::format(">= {:.1f}", bar.steady)};
}

std::string why_not(const SuiteContext& context, const Bar& bar, const ByWorkers& runs) {
  if (!context.on_gpu()) return "it was run on the CPU's workers: the bar is of GPUs";
  const auto found = runs.find(bar.workers);
  if (found == runs.end()) {
    return fmt::format("there are not as many GPUs: {} here", most_workers(context));
  }
  return too_short(found->second.computing_seconds, context.settings.thresholds);
}

void judge_scaling(const SuiteContext& context, const ByWorkers& runs, SuiteReport& report) {
  for (const Bar& bar : kBars) {
    const std::string why = why_not(context, bar, runs);
    if (!why.empty()) {
      report.verdicts.push_back(skipped_verdict(wall_verdict(bar), why));
      report.verdicts.push_back(skipped_verdict(steady_verdict(bar), why));
      continue;
    }
    const Repeats& several = runs.at(bar.workers);
    const Repeats& one = runs.at(1);
    report.verdicts.push_back(
        judged(wall_verdict(bar), ratio_of(one.wall, several.wall).value, bar.wall));
    report.verdicts.push_back(
        judged(steady_verdict(bar), ratio_of(several.rates, one.rates).value, bar.steady));
  }
}

void add_metrics(const ByWorkers& runs, SuiteContext& context, SuiteReport& report) {
  for (const auto& [workers, repeats] : runs) {
    report.metrics.push_back({fmt::format("scaling.{}.esm_tokens_per_second", workers),
                              fmt::format("ESM-2 tokens of {} workers", workers),
                              Measure::kPerSecond, Better::kHigher, repeats.rates});
    report.metrics.push_back({fmt::format("scaling.{}.seconds", workers),
                              fmt::format("whole run of {} workers", workers), Measure::kSeconds,
                              Better::kLower, repeats.wall});
    context.v2.seconds_by_gpus[workers] = spread_of(repeats.wall).median;
    context.v2.speedup_by_gpus[workers] = ratio_of(runs.at(1).wall, repeats.wall).value;
  }
}

Plot scaling_plot(const ByWorkers& runs) {
  Plot plot{.key = "speedup",
            .title = "Speed-up by workers",
            .kind = PlotKind::kOverNumber,
            .x_label = "workers",
            .y_label = "times one worker"};
  plot.lines = {{"while computing", {}}, {"whole run", {}}, {"linear", {}}};
  const Repeats& one = runs.at(1);
  for (const auto& [workers, repeats] : runs) {
    const auto x = static_cast<double>(workers);
    plot.lines[0].points.push_back({x, ratio_of(repeats.rates, one.rates).value});
    plot.lines[1].points.push_back({x, ratio_of(one.wall, repeats.wall).value});
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
    report.section.fields.push_back({"persistence_saves", "saved by keeping the models",
                                     "not told: there is one sequence alone"});
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
  report.section.fields.push_back({"models_kept_seconds",
                                   fmt::format("{} files in one run", files.size()), kept,
                                   Measure::kSeconds});
  report.section.fields.push_back(
      {"models_anew_seconds", "the same, models loaded for each", anew, Measure::kSeconds});
  report.section.fields.push_back(
      {"persistence_saves", "saved by keeping the models", 1 - kept / anew, Measure::kShare});
}

std::string imbalance_note(const ByWorkers& runs) {
  std::string note;
  for (const auto& [workers, repeats] : runs) {
    const double imbalance = spread_of(repeats.imbalances).median;
    if (workers == 1 || imbalance <= kNamedImbalance) continue;
    note += fmt::format(" Of {} workers one was at work {:.0f} % less than {}, which had the most.",
                        workers, 100 * imbalance, repeats.slowest);
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
    return !too_short(entry.second.computing_seconds, context.settings.thresholds).empty();
  });
  judge_scaling(context, runs, report);
  add_metrics(runs, context, report);
  compare_persistence(context, report);
}

}  // namespace virnucpro
