#include "telemetry/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/error.hpp"
#include "telemetry/bottlenecks.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kOneRun =
    "one run does not show it: compare runs on one and on several GPUs with virnucpro "
    "report";

// Small values get significant digits, so that none is shown as "0.0".
std::string digits_of(double value) {
  return value == 0 || value >= 0.1 ? fmt::format("{:.1f}", value) : fmt::format("{:.2g}", value);
}

// Skips the verdict if any reason is not empty; the report shows the first.
bool skipped(Verdict& verdict, std::initializer_list<std::string> reasons) {
  const auto* const why = std::ranges::find_if_not(reasons, &std::string::empty);
  if (why == reasons.end()) return false;
  verdict.status = VerdictStatus::kSkipped;
  verdict.detail = *why;
  return true;
}

std::string unless(bool known, const char* why) {
  return known ? "" : why;
}

// For a value that should be below `pass` and must be below `miss`.
VerdictStatus status_of(double value, double pass, double miss) {
  if (value < pass) return VerdictStatus::kPass;
  return value < miss ? VerdictStatus::kWarn : VerdictStatus::kMiss;
}

Verdict projected_time(const RunMeasurements& run, const Thresholds& thresholds) {
  std::string why_not = too_short(run.computing_seconds, thresholds);
  if (why_not.empty()) why_not = unless(run.sequences > 0, "no sequence was computed");
  const double hours = run.computing_seconds / 3600 * static_cast<double>(kProjectedSequences) /
                       static_cast<double>(run.sequences);
  return judge_projected_time(hours, why_not, thresholds);
}

Verdict utilization(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-02",
                  .name = "GPU utilisation while embedding",
                  .unit = "%",
                  .bar = fmt::format(">= {:g}, from {:g} on a warning", thresholds.utilization,
                                     thresholds.least_utilization)};
  if (skipped(verdict, {unless(run.gpus > 0, "no GPU was used"),
                        unless(run.utilization.has_value(), "no GPU said how busy it was"),
                        too_short(run.computing_seconds, thresholds)})) {
    return verdict;
  }
  verdict.value = run.utilization;
  if (*run.utilization >= thresholds.utilization) {
    verdict.status = VerdictStatus::kPass;
  } else {
    verdict.status = *run.utilization >= thresholds.least_utilization ? VerdictStatus::kWarn
                                                                      : VerdictStatus::kMiss;
  }
  return verdict;
}

Verdict scaling(const RunMeasurements& run) {
  Verdict verdict{.id = "PERF-03",
                  .name = "speed-up by several GPUs",
                  .unit = "x",
                  .bar = ">= 1.9 on 2, >= 90 % beyond"};
  skipped(verdict, {unless(run.gpus > 1, "it was not on several GPUs"), std::string(kOneRun)});
  return verdict;
}

// Skips short runs: the last batch holds what is left, and is too large a part of a short run.
Verdict packing(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-05",
                  .name = "packing",
                  .unit = "%",
                  .bar = fmt::format(">= {:g}", thresholds.packing)};
  if (skipped(verdict, {unless(run.batches > 0, "no batch was computed"),
                        too_short(run.computing_seconds, thresholds)})) {
    return verdict;
  }
  verdict.value = run.packing;
  verdict.status = run.packing >= thresholds.packing ? VerdictStatus::kPass : VerdictStatus::kMiss;
  return verdict;
}

Verdict starved(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-05",
                  .name = "batches that a worker waited for",
                  .unit = "%",
                  .bar = fmt::format("< {:g}, below {:g} a warning", thresholds.starved,
                                     thresholds.most_starved)};
  if (skipped(verdict, {unless(run.batches > 0, "no batch was computed"),
                        too_short(run.computing_seconds, thresholds)})) {
    return verdict;
  }
  const double share =
      100 * static_cast<double>(run.starved_batches) / static_cast<double>(run.batches);
  verdict.value = share;
  verdict.status = status_of(share, thresholds.starved, thresholds.most_starved);
  if (verdict.status != VerdictStatus::kPass) {
    verdict.detail = fmt::format("the host is behind: {}", host_advice(run.spare_processors));
  }
  return verdict;
}

Verdict metrics_logged(const RunMeasurements& run) {
  Verdict verdict{
      .id = "MON-01", .name = "measurements in the log", .unit = "samples", .bar = "> 0"};
  verdict.value = static_cast<double>(run.samples);
  if (skipped(verdict, {unless(run.samples > 0 || !run.monitor_failure.empty(),
                               "it was over before the first")})) {
    return verdict;
  }
  const bool logged = run.samples > 0 && run.monitor_failure.empty();
  verdict.status = logged ? VerdictStatus::kPass : VerdictStatus::kMiss;
  verdict.detail = run.monitor_failure;
  return verdict;
}

}  // namespace

std::string too_short(double computing_seconds, const Thresholds& thresholds) {
  if (computing_seconds >= thresholds.shortest_run) return {};
  return fmt::format("it computed for {:.1f} s, and at least {:g} s are needed", computing_seconds,
                     thresholds.shortest_run);
}

Verdict judge_projected_time(double hours, const std::string& why_not,
                             const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-01",
                  .name = "projected time of 6 million sequences",
                  .unit = "h",
                  .bar = fmt::format("< {:g}, below {:g} a warning", thresholds.projected_hours,
                                     thresholds.most_projected_hours)};
  if (skipped(verdict, {why_not})) return verdict;
  verdict.value = hours;
  verdict.status = status_of(hours, thresholds.projected_hours, thresholds.most_projected_hours);
  verdict.detail = "of sequences like these, on this machine";
  return verdict;
}

std::string_view name_of(VerdictStatus status) {
  switch (status) {
    case VerdictStatus::kPass:
      return "PASS";
    case VerdictStatus::kWarn:
      return "WARN";
    case VerdictStatus::kMiss:
      return "MISS";
    case VerdictStatus::kSkipped:
      return "SKIPPED";
  }
  return {};
}

std::vector<Verdict> judge(const RunMeasurements& run, const Thresholds& thresholds) {
  return {projected_time(run, thresholds), utilization(run, thresholds), scaling(run),
          packing(run, thresholds),        starved(run, thresholds),     metrics_logged(run)};
}

void require_all_met(const std::vector<Verdict>& verdicts) {
  const auto missed = std::ranges::find(verdicts, VerdictStatus::kMiss, &Verdict::status);
  if (missed != verdicts.end()) throw Error(ErrorKind::kRequirementMissed, verdict_line(*missed));
}

std::string verdict_line(const Verdict& verdict) {
  std::string line = fmt::format("{} {}: ", verdict.id, verdict.name);
  if (verdict.value) {
    line += fmt::format("{} {}, wanted {}", digits_of(*verdict.value), verdict.unit, verdict.bar);
  } else {
    line += std::string(name_of(verdict.status));
  }
  if (!verdict.detail.empty()) line += " (" + verdict.detail + ")";
  return line;
}

}  // namespace virnucpro
