#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "journal/run_files.hpp"
#include "measure/suites/suites.hpp"
#include "report/page_sections.hpp"
#include "run/settings.hpp"
#include "telemetry/device_facts.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr double kGigabyte = 1U << 30U;  // as v2 defines it
constexpr std::size_t kSmallestBudget = std::size_t{1} << 15U;
constexpr double kGrowthTime = 20;  // seconds; growth in a shorter time is not reliable
constexpr double kMegabyte = 1e6;
// The bars are v2's.
constexpr double kMostGrowth = 100;        // MB
constexpr double kLeastEfficiency = 70;    // percent
constexpr double kMostFragmentation = 30;  // percent
constexpr double kLeastGrowth = 10;        // MB; less growth may be noise

// Adds a row for each phase that has samples of its memory. A short phase may have none.
template <typename Phase, typename Gauge>
void add_rows_of(const std::string& label, const std::vector<Phase>& phases, Gauge memory,
                 Table& table) {
  for (const Phase& phase : phases) {
    const Statistic& statistic = phase.*memory;
    if (statistic.samples == 0) continue;
    table.rows.push_back({label, phase.phase.value_or(""), statistic.average, statistic.maximum});
  }
}

Table phase_table(const RunTelemetry& telemetry) {
  Table table{.key = "phases", .caption = "Memory by device and phase"};
  table.columns = {{"device", "Device"},
                   {"phase", "Phase"},
                   {"average_bytes", "Average", Measure::kBytes},
                   {"peak_bytes", "Peak", Measure::kBytes}};
  add_rows_of("host, all processes", telemetry.host.phases, &RunTelemetry::HostPhase::rss_bytes,
              table);
  for (const RunTelemetry::Device& device : telemetry.devices) {
    add_rows_of(device.id.value_or("device"), device.phases,
                &RunTelemetry::DevicePhase::memory_used_bytes, table);
  }
  return table;
}

// Returns the memory over time of the host, then of each GPU; empty if the run kept no samples.
std::vector<PlotLine> memory_over_time(const Trial& trial) {
  const std::vector<fs::path> files = run_files::kMonitorLog.found_in(trial.directory);
  if (files.empty()) return {};
  const MetricFacts facts = read_metrics(files.front());
  std::vector<PlotLine> lines{{"host", facts.host.memory.means()}};
  for (std::size_t k = 0; k < facts.devices.size(); ++k) {
    lines.push_back({facts.summary.devices[k].id, facts.devices[k].memory_used_bytes.means()});
  }
  return lines;
}

Plot memory_plot(PlotLine host) {
  return {.key = "memory_over_time",
          .title = "Host memory of all processes of a whole run",
          .kind = PlotKind::kOverTime,
          .y_label = "resident",
          .unit = Measure::kBytes,
          .lines = {std::move(host)}};
}

// Returns the growth in bytes per hour in the second half of a run; empty if that half is too
// short. The first half is left out, because buffers still adapt to the largest batch.
std::optional<double> growth(const std::vector<PlotPoint>& all) {
  std::vector<Point> late;
  for (std::size_t k = all.size() / 2; k < all.size(); ++k) late.push_back({all[k].x, all[k].y});
  if (late.size() < 2 || late.back().x - late.front().x < kGrowthTime) return std::nullopt;
  return LinearFit(late).slope() * 3600;
}

// Judges the largest growth, of the host or of a GPU: the growth rate in the run's second half
// times the time of the whole run.
void judge_growth(const std::vector<PlotLine>& lines, SuiteReport& report) {
  Verdict verdict{
      .id = "MEM-GROWTH",
      .name = "growth of memory over the run",
      .unit = "MB",
      .bar = fmt::format("<= {:g}", kMostGrowth),
      .detail = fmt::format(
          "the second half of the run has less than {:g} s of measurements: measure longer runs",
          kGrowthTime)};
  std::string an_hour = verdict.detail;
  for (const auto& [name, points] : lines) {
    const std::optional<double> hourly = growth(points);
    if (!hourly) continue;
    const double megabytes = *hourly / 3600 * (points.back().x - points.front().x) / kMegabyte;
    if (verdict.value && *verdict.value >= megabytes) continue;
    an_hour = fmt::format("{:.1f} MB, on {}", *hourly / kMegabyte, name);
    verdict.detail = "measured on " + name;
    verdict = judged_at_most(verdict, megabytes, kMostGrowth, kMostGrowth);
  }
  report.section.fields.push_back(
      {"growth_per_hour", "growth of memory per hour in the second half of the run", an_hour});
  if (verdict.value) {
    const std::vector<double> kept{std::max(*verdict.value, kLeastGrowth) * kMegabyte};
    report.metrics.push_back({"memory.growth_bytes", "growth of memory, counted as at least 10 MB",
                              Measure::kBytes, Better::kLower, kept});
  }
  report.verdicts.push_back(std::move(verdict));
}

// Returns the unused share of a worker's reserved memory at the run's end: free blocks of sizes
// that were not requested again.
double unused_share(const RunTelemetry::Worker& worker) {
  return 1 - or_zero(worker.memory_used_bytes) / or_zero(worker.memory_reserved_bytes);
}

// Judges the lowest efficiency and the largest unused share of all workers.
void judge_allocator(std::vector<RunTelemetry::Worker> workers, SuiteReport& report) {
  std::erase_if(workers, [](const auto& one) { return or_zero(one.memory_reserved_bytes) <= 0; });
  const auto worst = std::ranges::max_element(workers, {}, unused_share);
  const auto most_used = [](const RunTelemetry::Worker& worker) {
    return or_zero(worker.memory_peak_bytes) / or_zero(worker.memory_reserved_bytes);
  };
  Verdict efficiency{.id = "MEM-EFFICIENCY",
                     .name = "peak use of the memory reserved on a GPU",
                     .unit = "%",
                     .bar = fmt::format(">= {:g}", kLeastEfficiency)};
  Verdict fragmentation{.id = "MEM-FRAGMENTATION",
                        .name = "unused share of the memory reserved on a GPU",
                        .unit = "%",
                        .bar = fmt::format("<= {:g}", kMostFragmentation)};
  efficiency.detail = fragmentation.detail = "no GPU reserved memory in this run";
  if (worst != workers.end()) {
    const double unused = unused_share(*worst);
    report.section.fields.push_back({"reserved_bytes",
                                     "memory reserved on a GPU at the end of the run",
                                     or_zero(worst->memory_reserved_bytes), Measure::kBytes});
    report.section.fields.push_back(
        {"fragmentation", "unused share of the reserved memory", unused, Measure::kShare});
    efficiency.detail = fragmentation.detail = "";
    const double least = most_used(*std::ranges::min_element(workers, {}, most_used));
    efficiency = judged_at_least(efficiency, 100 * least, kLeastEfficiency, kLeastEfficiency);
    fragmentation =
        judged_at_most(fragmentation, 100 * unused, kMostFragmentation, kMostFragmentation);
  }
  report.verdicts.insert(report.verdicts.end(), {efficiency, fragmentation});
}

// Finds the largest budget that fits. `profile` stops at the first budget that exceeds memory.
void find_largest_budget(SuiteContext& context, SuiteReport& report) {
  const JsonValues profile =
      profile_model(context, "largest_budget", "esm2",
                    {"--min-batch", std::to_string(kSmallestBudget), "--max-batch",
                     std::to_string(kLargestBudget), "--seconds", "0.1"});
  std::uint64_t largest = 0;
  for (std::size_t k = 0; k < profile.elements("rows"); ++k) {
    const std::string row = fmt::format("rows/{}/", k);
    if (profile.flag(row + "out_of_memory").value_or(true)) break;
    largest = std::max(largest, profile.count(row + "token_budget").value_or(0));
  }
  const char* const more = largest >= kLargestBudget ? ", or more" : "";
  report.section.fields.push_back(
      {"largest_token_budget",
       fmt::format("largest token budget of ESM-2 that fits in memory{}", more), largest,
       Measure::kCount});
}

// Returns why the largest budget is not measured; empty if it is measured.
std::string why_no_budget(const SuiteContext& context) {
  if (!context.on_gpu()) return "not measured on the CPU, where a batch takes little memory";
  return context.settings.quick ? "not measured with --quick" : "";
}

// Returns the memory use of the first GPU, or of the host, in each phase of a run.
std::vector<Statistic> memory_by_phase(const RunTelemetry& telemetry, bool on_gpu) {
  std::vector<Statistic> statistics;
  if (!on_gpu) {
    for (const auto& phase : telemetry.host.phases) statistics.push_back(phase.rss_bytes);
  } else if (!telemetry.devices.empty()) {
    for (const auto& phase : telemetry.devices.front().phases) {
      statistics.push_back(phase.memory_used_bytes);
    }
  }
  return statistics;
}

// Uses the figures of all phases, because a short run has phases without a sample.
void keep_v2_figures(const Trial& trial, SuiteContext& context) {
  double peak = 0;
  double average = 0;
  for (const Statistic& statistic : memory_by_phase(trial.telemetry, context.on_gpu())) {
    peak = std::max(peak, statistic.maximum);
    average = std::max(average, statistic.average);
  }
  context.v2.memory["peak"] = peak / kGigabyte;
  context.v2.memory["average"] = average / kGigabyte;
  if (peak > 0) context.v2.memory["efficiency"] = 100 * average / peak;
}

}  // namespace

void run_memory_suite(SuiteContext& context, SuiteReport& report) {
  const Trial& trial = context.long_run();
  report.section.tables.push_back(phase_table(trial.telemetry));
  const auto peak = static_cast<double>(trial.end.peak_rss_bytes);
  constexpr const char* kPeak = "peak memory of the largest process";
  report.metrics = {{"memory.peak_rss_bytes", kPeak, Measure::kBytes, Better::kLower, {peak}}};
  std::vector<PlotLine> over_time = memory_over_time(trial);
  report.section.fields = {{"peak_rss_bytes", kPeak, peak, Measure::kBytes}};
  judge_growth(over_time, report);
  judge_allocator(trial.telemetry.workers, report);
  if (!over_time.empty() && over_time.front().points.size() > 1) {
    report.section.plots.push_back(memory_plot(std::move(over_time.front())));
  }
  const std::string why = why_no_budget(context);
  if (why.empty()) {
    find_largest_budget(context, report);
  } else {
    report.section.fields.push_back({"largest_token_budget", "largest token budget", why});
  }
  keep_v2_figures(trial, context);
}

}  // namespace virnucpro
