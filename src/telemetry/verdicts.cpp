#include "telemetry/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/error.hpp"
#include "telemetry/bottlenecks.hpp"

namespace virnucpro {
namespace {

constexpr double kMostlyOneChunk = 90;  // percent of the sequences

// Formats a value. A small value has two significant digits, so that it is not shown as "0.0".
std::string digits_of(double value) {
  return value == 0 || value >= 0.1 ? fmt::format("{:.1f}", value) : fmt::format("{:.2g}", value);
}

// Skips the verdict if any of `reasons` is not empty. The report shows the first such reason.
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

// Judges a value that should be below `pass` and must be below `miss`.
VerdictStatus status_of(double value, double pass, double miss) {
  if (value < pass) return VerdictStatus::kPass;
  return value < miss ? VerdictStatus::kWarn : VerdictStatus::kMiss;
}

std::string bar_from(double pass, double least) {
  return fmt::format(">= {:g}; a warning from {:g} on", pass, least);
}

Verdict projected_time(const RunMeasurements& run, const Thresholds& thresholds) {
  // Skip the verdict without a GPU, because its limits are for a machine with GPUs.
  std::string why_not = unless(run.gpus > 0, "no GPU was used");
  if (why_not.empty()) why_not = too_short(run.computing_seconds, thresholds);
  if (why_not.empty()) why_not = why_not_of_reads(run);
  const double hours = run.computing_seconds / 3600 * static_cast<double>(kProjectedReads) /
                       static_cast<double>(run.scored_chunks);
  return judge_projected_time(hours, why_not, thresholds);
}

const MeasuredGpu* least_busy(const std::vector<MeasuredGpu>& gpus) {
  const auto least = std::ranges::min_element(gpus, {}, &MeasuredGpu::utilization);
  return least == gpus.end() ? nullptr : &*least;
}

// Returns why it is unknown which GPU was the least busy; empty if all GPUs were measured.
std::string without_utilization(const RunMeasurements& run) {
  std::vector<std::string> ids;
  for (const MeasuredGpu& gpu : run.measured) {
    if (!gpu.utilization) ids.push_back(gpu.id);
  }
  if (!ids.empty())
    return fmt::format("the utilisation of {} was not measured", fmt::join(ids, ", "));
  return unless(run.measured.size() >= run.gpus, "at least one GPU was not measured");
}

Verdict utilization(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-02",
                  .name = "GPU utilisation while embedding",
                  .unit = "%",
                  .bar = bar_from(thresholds.utilization, thresholds.least_utilization)};
  if (skipped(verdict, {unless(run.gpus > 0, "no GPU was used"), without_utilization(run),
                        too_short(run.computing_seconds, thresholds)})) {
    return verdict;
  }
  return judged_at_least(std::move(verdict), *least_busy(run.measured)->utilization,
                         thresholds.utilization, thresholds.least_utilization);
}

Verdict scaling() {
  return {.id = "PERF-03",
          .name = "speed-up by several GPUs",
          .unit = "x",
          .bar = ">= 1.9 on 2 GPUs; on more, >= 90 % of their number",
          .detail = "one run cannot show a speed-up: run virnucpro benchmark --suite scaling"};
}

Verdict throughput(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{
      .id = "PERF-04",
      .name = "throughput of ESM-2 3B on each GPU",
      .unit = "tokens/s",
      .bar = bar_from(thresholds.tokens_per_second, thresholds.least_tokens_per_second)};
  if (skipped(verdict,
              {unless(run.gpus > 0, "no GPU was used"),
               unless(run.is_esm2_3b,
                      "the limit is for ESM-2 3B (36 layers of width 2,560); models of other "
                      "sizes have other rates"),
               too_short(run.computing_seconds, thresholds)})) {
    return verdict;
  }
  const double rate = run.esm_tokens_per_second / static_cast<double>(run.gpus);
  verdict.detail = "v2 published 16,500 tokens/s for an RTX 4090";
  return judged_at_least(std::move(verdict), rate, thresholds.tokens_per_second,
                         thresholds.least_tokens_per_second);
}

// Judges the packing. Skips short runs: the last batch is seldom full and would weigh too much.
Verdict packing(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-05",
                  .name = "packing",
                  .unit = "%",
                  .bar = bar_from(thresholds.packing, thresholds.least_packing)};
  if (skipped(verdict, {unless(run.batches > 0, "no batch was computed"),
                        too_short(run.computing_seconds, thresholds)})) {
    return verdict;
  }
  return judged_at_least(std::move(verdict), run.packing, thresholds.packing,
                         thresholds.least_packing);
}

Verdict starved(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-05",
                  .name = "batches that a worker waited for",
                  .unit = "%",
                  .bar = fmt::format("< {:g}; a warning below {:g}", thresholds.starved,
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
    verdict.detail =
        fmt::format("the host is too slow for the workers: {}", host_advice(run.spare_processors));
  }
  return verdict;
}

// Returns the GPU with the fewest rows in the log and, among equals, the fewest rows by NVML.
const MeasuredGpu* least_measured(const std::vector<MeasuredGpu>& gpus) {
  const auto least = std::ranges::min_element(
      gpus, {}, [](const MeasuredGpu& gpu) { return std::pair(gpu.rows, gpu.nvml_rows); });
  return least == gpus.end() ? nullptr : &*least;
}

std::string why_no_nvml(const MeasuredGpu& gpu) {
  return gpu.failure.empty() ? "NVML gave no values"
                             : fmt::format("NVML gave no values: {}", gpu.failure);
}

// Sets MISS if a GPU has no rows. Sets WARN if NVML measured no row of a GPU, because such rows
// have only the memory.
void judge_gpu_rows(const RunMeasurements& run, Verdict& verdict) {
  const MeasuredGpu* least =
      run.measured.size() < run.gpus ? nullptr : least_measured(run.measured);
  verdict.value = least == nullptr ? 0 : static_cast<double>(least->rows);
  if (least == nullptr || least->rows == 0) {
    verdict.status = VerdictStatus::kMiss;
    verdict.detail = least == nullptr
                         ? "at least one GPU has no rows"
                         : fmt::format("{} has no rows; {}", least->id, why_no_nvml(*least));
    return;
  }
  const auto without = std::ranges::find(run.measured, 0U, &MeasuredGpu::nvml_rows);
  if (without != run.measured.end()) {
    verdict.status = VerdictStatus::kWarn;
    verdict.detail = fmt::format("{} has only memory values, from the CUDA runtime; {}",
                                 without->id, why_no_nvml(*without));
    return;
  }
  verdict.status = VerdictStatus::kPass;
}

Verdict metrics_logged(const RunMeasurements& run) {
  Verdict verdict{.id = "MON-01",
                  .name = "measurements in the log",
                  .unit = "rows",
                  .bar = run.gpus > 0 ? "> 0 of each GPU, by NVML" : "> 0"};
  verdict.value = static_cast<double>(run.written);
  if (skipped(verdict, {unless(run.samples > 0 || !run.monitor_failure.empty(),
                               "the run ended before the first measurement")})) {
    return verdict;
  }
  if (!run.monitor_failure.empty() || run.written == 0) {
    verdict.status = VerdictStatus::kMiss;
    verdict.detail = run.monitor_failure;
  } else if (run.gpus > 0) {
    judge_gpu_rows(run, verdict);
  } else {
    verdict.status = VerdictStatus::kPass;
  }
  return verdict;
}

Verdict balance(const RunMeasurements& run, const Thresholds& thresholds) {
  Verdict verdict{.id = "MON-03",
                  .name = "imbalance of the GPUs",
                  .unit = "%",
                  .bar = fmt::format("<= {:g}; a warning up to {:g}", thresholds.imbalance,
                                     thresholds.most_imbalance)};
  if (skipped(verdict, {unless(run.gpus > 1, "the run did not use several GPUs"),
                        unless(run.imbalance.has_value(),
                               "no worker computed, or a worker's time is unknown"),
                        too_short(run.computing_seconds, thresholds)})) {
    return verdict;
  }
  verdict.detail = "the least busy GPU computed for this much less time than the busiest one";
  return judged_at_most(std::move(verdict), *run.imbalance, thresholds.imbalance,
                        thresholds.most_imbalance);
}

// Judges by the interval's lower end: the requirement is missed only if even that end is too high.
Verdict changed_calls(const MeasuredCalls& calls, const Thresholds& thresholds) {
  Verdict verdict{.id = "PREC-01",
                  .name = "calls that the check precision would change",
                  .unit = "of the chunks",
                  .bar = fmt::format("<= {:g}; a warning up to {:g}", thresholds.changed_calls,
                                     thresholds.most_changed_calls)};
  if (skipped(verdict, {unless(calls.sampled > 0, "the shadow check compared no chunk")}))
    return verdict;
  const auto share = [&calls](double changed) {
    return changed / static_cast<double>(calls.chunks);
  };
  verdict.detail = fmt::format(
      "the value is the lower bound with 97.5 % confidence; the estimate is {:.2g}, the upper "
      "bound {:.2g}",
      share(calls.changed), share(calls.high));
  return judged_at_most(std::move(verdict), share(calls.low), thresholds.changed_calls,
                        thresholds.most_changed_calls);
}

}  // namespace

std::string too_short(double computing_seconds, const Thresholds& thresholds) {
  if (computing_seconds >= thresholds.shortest_run) return {};
  return fmt::format("the run computed for {:.1f} s; at least {:g} s are needed", computing_seconds,
                     thresholds.shortest_run);
}

Verdict judged_at_least(Verdict verdict, double value, double wanted, double least) {
  verdict.value = value;
  verdict.status = value >= wanted  ? VerdictStatus::kPass
                   : value >= least ? VerdictStatus::kWarn
                                    : VerdictStatus::kMiss;
  return verdict;
}

Verdict judged_at_most(Verdict verdict, double value, double wanted, double most) {
  verdict.value = value;
  verdict.status = value <= wanted ? VerdictStatus::kPass
                   : value <= most ? VerdictStatus::kWarn
                                   : VerdictStatus::kMiss;
  return verdict;
}

std::string why_not_of_reads(const RunMeasurements& run) {
  if (run.scored_chunks == 0) return "no chunk was scored";
  const double percent =
      100 * static_cast<double>(run.one_chunk_sequences) / static_cast<double>(run.sequences);
  if (percent >= kMostlyOneChunk) return {};
  return fmt::format(
      "the limit is for reads: {:.0f} % of these sequences have one chunk; at least {:g} % must "
      "have one",
      std::floor(percent), kMostlyOneChunk);
}

Verdict judge_projected_time(double hours, const std::string& why_not,
                             const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-01",
                  .name = "projected time of 6 million reads",
                  .unit = "hours for 6,000,000 reads of one chunk each",
                  .bar = fmt::format("< {:g}; a warning below {:g}", thresholds.projected_hours,
                                     thresholds.most_projected_hours)};
  if (skipped(verdict, {why_not})) return verdict;
  verdict.value = hours;
  verdict.status = status_of(hours, thresholds.projected_hours, thresholds.most_projected_hours);
  verdict.detail = "projected from the time of a scored chunk on this machine";
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
  std::vector<Verdict> verdicts{projected_time(run, thresholds),
                                utilization(run, thresholds),
                                scaling(),
                                throughput(run, thresholds),
                                packing(run, thresholds),
                                starved(run, thresholds),
                                metrics_logged(run),
                                balance(run, thresholds)};
  if (run.calls) verdicts.push_back(changed_calls(*run.calls, thresholds));
  return verdicts;
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
