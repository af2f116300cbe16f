#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "journal/run_files.hpp"
#include "measure/suites/suites.hpp"
#include "measure/timing/turns.hpp"
#include "report/page_sections.hpp"

namespace virnucpro {
namespace {

constexpr std::array<std::size_t, 4> kProjectedGpus{1, 2, 4, 8};
constexpr double kSecondsAnHour = 3600;

// Made-up reads per sequence of the data size: more than one, because reads are shorter.
constexpr std::uint64_t kReadsASequence = 4;
constexpr std::uint64_t kMostContigs = 40'000;
constexpr LogNormalLengths kContigLengths{
    .median = 600, .sigma = {1, 1}, .least = 150, .most = 6'000};

// Returns files of reads, because PERF-01 judges reads. Made-up reads have one chunk each.
std::vector<std::filesystem::path> reads(const SuiteContext& context, std::uint64_t count) {
  const BenchmarkSettings& settings = context.settings;
  if (!settings.samples.empty()) return context.data(count);
  return context.made_up(FixedLength{std::min(kReadLength, settings.chunk_size)}, count);
}

// Returns the number of reads of each run: a quarter, a half and three quarters of N, then N once
// per repeat. N is the number of all reads, but at most most_projected_from. An error estimate
// needs at least three runs.
std::vector<std::uint64_t> sizes_of(const SuiteContext& context) {
  const BenchmarkSettings& settings = context.settings;
  const std::uint64_t times = settings.samples.empty() ? kReadsASequence : 1;
  const std::uint64_t all = std::min(times * settings.size.sequences, settings.most_projected_from);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t quarters = 1; quarters < 4; ++quarters) {
    sizes.push_back(std::max<std::uint64_t>(1, all * quarters / 4));
  }
  sizes.insert(sizes.end(), context.repeats(), all);
  return sizes;
}

struct MeasuredRuns {
  std::vector<Point> points;  // x: scored chunks, y: seconds
  TrialRepeats largest;
};

MeasuredRuns measure(SuiteContext& context) {
  MeasuredRuns measured;
  const std::vector<std::uint64_t> sizes = sizes_of(context);
  for (const std::uint64_t size : sizes) {
    Trial trial = context.trials.run({.name = fmt::format("whole_{}", size),
                                      .inputs = reads(context, size),
                                      .arguments = context.whole_run_arguments()});
    measured.points.push_back({trial.scored_chunks(), trial.end.seconds});
    if (size == sizes.back()) measured.largest.runs.push_back(std::move(trial));
  }
  return measured;
}

Estimate hours_of(const Estimate& seconds) {
  Estimate hours{.value = seconds.value / kSecondsAnHour};
  if (seconds.low) hours.low = std::max(0.0, *seconds.low) / kSecondsAnHour;
  if (seconds.high) hours.high = *seconds.high / kSecondsAnHour;
  return hours;
}

Table point_table(const std::vector<Point>& points) {
  Table table{.key = "runs", .caption = "Whole runs"};
  table.columns = {{"scored_chunks", "Scored chunks", Measure::kCount},
                   {"seconds", "Time", Measure::kSeconds},
                   {"scored_chunks_per_second", "Scored chunks", Measure::kPerSecond}};
  for (const Point& point : points) {
    table.rows.push_back({static_cast<std::uint64_t>(point.x), point.y, point.x / point.y});
  }
  return table;
}

// Projects the time of kProjectedReads reads. N times as many GPUs divide the fit's slope by N.
Table projection_table(const SuiteContext& context, const LinearFit& fit) {
  Table table{.key = "projections",
              .caption = "Projected time of 6,000,000 reads of one chunk each"};
  table.columns = {
      {"gpus", "GPUs", Measure::kCount}, {"hours", "Hours, projected"}, {"how", "Projected from"}};
  const auto here = static_cast<double>(context.settings.gpus.size());
  const double whole = fit.slope() * static_cast<double>(kProjectedReads);
  for (const std::size_t gpus : kProjectedGpus) {
    const double seconds = fit.intercept() + whole * here / static_cast<double>(gpus);
    const bool as_many = gpus == context.settings.gpus.size();
    table.rows.push_back(
        {std::uint64_t{gpus}, fmt::format("{:.3g}", seconds / kSecondsAnHour),
         as_many ? "runs on this number of GPUs" : "the same runs, assuming perfect scaling"});
  }
  return table;
}

Plot fit_plot(const std::vector<Point>& points, const LinearFit& fit) {
  Plot plot{.key = "time_by_chunks",
            .title = "Time of whole runs",
            .kind = PlotKind::kOverNumber,
            .x_label = "scored chunks",
            .y_label = "seconds",
            .unit = Measure::kSeconds};
  std::vector<Point> sorted = points;
  std::ranges::sort(sorted, {}, &Point::x);
  plot.lines = {{"measured", {}}, {"fit", {}}};
  for (const Point& point : sorted) {
    plot.lines[0].points.push_back({point.x, point.y});
    plot.lines[1].points.push_back({point.x, fit.at(point.x).value});
  }
  return plot;
}

// Returns why these runs cannot project the time of kProjectedReads reads; empty if they can.
std::string why_not_projected(const SuiteContext& context, const Trial& largest,
                              const LinearFit& fit) {
  if (fit.slope() <= 0) {
    return "runs with more chunks did not take longer, so the time cannot be projected: give more "
           "sequences";
  }
  const std::string brief = context.why_brief(largest.computing_seconds());
  return brief.empty() ? why_not_of_reads(largest.telemetry.workload) : brief;
}

// Returns the largest memory use of any GPU in any phase, in bytes.
std::optional<double> peak_of_gpus(const Trial& run) {
  std::optional<double> peak;
  for (const RunTelemetry::Device& device : run.telemetry.devices) {
    for (const RunTelemetry::DevicePhase& phase : device.phases) {
      const Statistic& used = phase.memory_used_bytes;
      if (used.samples > 0) peak = std::max(peak.value_or(0), used.maximum);
    }
  }
  return peak;
}

std::optional<double> packing_percent(const Trial& run) {
  const auto& efficiency = run.telemetry.packing.efficiency;
  return efficiency ? std::optional(100 * *efficiency) : std::nullopt;
}

// Adds a figure with its values in the runs that measured it. Adds nothing if no run did.
void add_measured(Metric metric, const TrialRepeats& runs,
                  const std::function<std::optional<double>(const Trial&)>& figure,
                  std::vector<Metric>& metrics) {
  for (const Trial& run : runs.runs) {
    if (const auto value = figure(run)) metric.values.push_back(*value);
  }
  if (!metric.values.empty()) metrics.push_back(std::move(metric));
}

// Returns time, rate, use of the GPUs, memory and packing of the repeated runs.
std::vector<Metric> metrics_of(const TrialRepeats& runs) {
  using enum Better;
  std::vector<Metric> metrics{
      {"end_to_end.seconds", "whole run", Measure::kSeconds, kLower, runs.seconds()},
      {"end_to_end.esm_tokens_per_second", "ESM-2 tokens while computing", Measure::kPerSecond,
       kHigher, runs.esm_rates()}};
  add_measured(
      {"end_to_end.gpu_percent", "GPU use while embedding", Measure::kPercent, kHigher, {}}, runs,
      &Trial::gpu_percent, metrics);
  add_measured(
      {"end_to_end.gpu_peak_bytes", "peak memory use of a GPU", Measure::kBytes, kLower, {}}, runs,
      peak_of_gpus, metrics);
  const auto peak = [](const Trial& run) { return static_cast<double>(run.end.peak_rss_bytes); };
  metrics.push_back({"end_to_end.peak_rss_bytes", "peak memory of the largest process",
                     Measure::kBytes, kLower, runs.each(peak)});
  add_measured({"end_to_end.packing_percent", "packing", Measure::kPercent, kHigher, {}}, runs,
               packing_percent, metrics);
  return metrics;
}

// Returns the bytes of the two tables that the original writes. Leaves out sequences.tsv, whose
// size depends on the inputs' names.
double table_bytes(const Trial& run) {
  const std::string stem = run.telemetry.run.stem.value_or("");
  double bytes = 0;
  for (const RunFile& table : {run_files::kFrameTable, run_files::kConsensusTable}) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(table.in(run.directory, stem), unknown);
    if (!unknown) bytes += static_cast<double>(size);
  }
  return bytes;
}

// Returns the counts that are the same on any machine for the same sequences, models and settings.
std::vector<Metric> counts_of(const Trial& run) {
  const RunTelemetry::Workload& work = run.telemetry.workload;
  const auto count = [](const char* key, const char* label, double value) {
    return Metric{key, label, Measure::kCount, Better::kSame, {value}, true};
  };
  return {count("counts.frames", "frames with scores", or_zero(work.frames_scored)),
          count("counts.esm_tokens", "ESM-2 tokens", or_zero(work.esm_tokens)),
          count("counts.dna_tokens", "DNABERT-S tokens", or_zero(work.dna_tokens)),
          count("counts.batches", "batches", or_zero(work.batches)),
          count("counts.table_bytes", "bytes of the frame and consensus tables", table_bytes(run)),
          Metric{"counts.packing_percent",
                 "packing",
                 Measure::kPercent,
                 Better::kHigher,
                 {packing_percent(run).value_or(0)},
                 true}};
}

Table lengths_table(const Trial& reads, const Trial& contigs) {
  Table table{.key = "lengths", .caption = "Reads of one length, and contigs of mixed lengths"};
  table.columns = {{"data", "Data"},
                   {"sequences", "Sequences", Measure::kCount},
                   {"seconds", "Time", Measure::kSeconds},
                   {"esm_tokens_per_second", "ESM-2 tokens", Measure::kPerSecond},
                   {"packing_percent", "Packing", Measure::kPercent}};
  for (const auto& [name, run] : {std::pair("reads", &reads), std::pair("contigs", &contigs)}) {
    table.rows.push_back({name, static_cast<std::uint64_t>(run->sequences()), run->end.seconds,
                          run->esm_tokens_per_second(), measured(packing_percent(*run))});
  }
  return table;
}

Verdict judge_packing(const SuiteContext& context, const Trial& contigs) {
  std::vector<Verdict> verdicts =
      contigs.judged(context.settings.gpus.size(), context.settings.thresholds);
  Verdict& packing = *std::ranges::find(verdicts, "packing", &Verdict::name);
  packing.name = "packing of contigs";
  return packing;
}

// Measures packing over contigs of mixed lengths, because frames of one length always pack well.
void run_contigs(SuiteContext& context, const Trial& reads, SuiteReport& report) {
  if (!context.settings.samples.empty()) return;
  const std::uint64_t count = std::min(context.settings.size.sequences, kMostContigs);
  TrialRepeats contigs;
  contigs.runs.push_back(context.trials.run({.name = "contigs",
                                             .inputs = context.made_up(kContigLengths, count),
                                             .arguments = context.whole_run_arguments()}));
  const Trial& run = contigs.runs.front();
  report.section.tables.push_back(lengths_table(reads, run));
  report.metrics.push_back({"contigs.esm_tokens_per_second", "ESM-2 tokens of contigs",
                            Measure::kPerSecond, Better::kHigher, contigs.esm_rates()});
  add_measured(
      {"contigs.packing_percent", "packing of contigs", Measure::kPercent, Better::kHigher, {}},
      contigs, packing_percent, report.metrics);
  report.verdicts.push_back(judge_packing(context, run));
}

// If only a part of the data set was measured, also runs the whole data set once and compares its
// time with the projection.
void run_all_of_it(SuiteContext& context, const LinearFit& fit, SuiteReport& report) {
  const std::uint64_t all = context.settings.size.sequences;
  const std::uint64_t part = context.settings.most_projected_from;
  if (all <= part) return;
  const Trial& whole = context.whole_run();
  context.v2.total_seconds = whole.end.seconds;
  report.section.note =
      fmt::format("The line is fitted to runs over at most {} sequences; all {} were run once.",
                  grouped(part), grouped(all));
  report.section.fields.push_back({"whole_seconds",
                                   fmt::format("run over all {} sequences", grouped(all)),
                                   whole.end.seconds, Measure::kSeconds});
  report.section.fields.push_back({"whole_over_projected",
                                   "measured time divided by projected time",
                                   whole.end.seconds / fit.at(whole.scored_chunks()).value});
}

bool have_several_sizes(const std::vector<Point>& points) {
  return std::ranges::any_of(points, [&](const Point& one) { return one.x != points.front().x; });
}

}  // namespace

void run_end_to_end_suite(SuiteContext& context, SuiteReport& report) {
  const MeasuredRuns measured = measure(context);
  const std::vector<Point>& points = measured.points;
  const Trial& largest = measured.largest.runs.back();
  report.section.tables.push_back(point_table(points));
  report.metrics = metrics_of(measured.largest);
  for (Metric& count : counts_of(largest)) report.metrics.push_back(std::move(count));
  report.brief = !context.why_brief(measured.largest.least_computing_seconds()).empty();
  context.v2.total_seconds = largest.end.seconds;
  if (!have_several_sizes(points)) {
    constexpr const char* kWhy =
        "all runs have the same number of chunks, and a fitted line needs several numbers: give "
        "more sequences";
    report.section.note = kWhy;
    report.verdicts.push_back(judge_projected_time(0, kWhy, context.settings.thresholds));
    return;
  }
  const LinearFit fit(points);
  const Estimate hours = hours_of(fit.at(static_cast<double>(kProjectedReads)));
  report.section.fields = {
      {"start_up_seconds", "time before the first chunk", fit.intercept(), Measure::kSeconds},
      {"seconds_per_1000", "time for 1,000 scored chunks", 1000 * fit.slope(), Measure::kSeconds},
      {"determination", "share of the variance that the fitted line explains",
       fit.determination()}};
  report.section.plots.push_back(fit_plot(points, fit));
  if (context.on_gpu()) report.section.tables.push_back(projection_table(context, fit));
  run_all_of_it(context, fit, report);
  std::string why = why_not_projected(context, largest, fit);
  if (why.empty()) {
    report.section.fields.push_back(
        {"projected_hours",
         fmt::format("projected hours for {} reads of one chunk each", grouped(kProjectedReads)),
         estimate_text(hours)});
    context.v2.projected_10k_hours = fit.at(10'000).value / kSecondsAnHour;
    context.v2.projected_hours = hours.value;
  }
  if (!context.on_gpu()) why = "no GPU was used";
  report.verdicts.push_back(judge_projected_time(hours.value, why, context.settings.thresholds));
  run_contigs(context, largest, report);
}

}  // namespace virnucpro
