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
  return fmt::format(">= {:g}; only a warning from {:g} on", pass, least);
}

// Returns true for the published 3B model. No other model has this number of layers and this width.
bool is_esm2_3b(const RunTelemetry::Models& models) {
  return models.esm2_layers == 36U && models.esm2_width == 2560U;
}

// A run to be judged.
struct JudgedRun {
  const RunTelemetry& telemetry;
  double computing_seconds;
  const Thresholds& thresholds;

  std::size_t gpus() const { return telemetry.settings.gpus.size(); }
  std::uint64_t batches() const { return telemetry.workload.batches.value_or(0); }
  std::string why_no_gpu() const { return unless(gpus() > 0, "no GPU was used"); }
  std::string why_no_batch() const { return unless(batches() > 0, "no batch was computed"); }
  std::string why_short() const { return too_short(computing_seconds, thresholds); }
};

Verdict projected_time(const JudgedRun& run) {
  const RunTelemetry::Workload& work = run.telemetry.workload;
  // Without a GPU this verdict is skipped, because its limits are for machines with GPUs.
  std::string why_not = run.why_no_gpu();
  if (why_not.empty()) why_not = run.why_short();
  if (why_not.empty()) why_not = why_not_of_reads(work);
  const double hours = run.computing_seconds / 3600 * static_cast<double>(kProjectedReads) /
                       static_cast<double>(work.chunks_with_frames.value_or(0));
  return judge_projected_time(hours, why_not, run.thresholds);
}

// Returns why it is unknown which GPU was the least busy; empty if all GPUs were measured.
std::string without_utilization(const JudgedRun& run) {
  const std::vector<RunTelemetry::Device>& devices = run.telemetry.devices;
  std::vector<std::string> ids;
  for (const RunTelemetry::Device& device : devices) {
    const auto percent = average_of(device.phases, &RunTelemetry::DevicePhase::utilization_percent,
                                    is_while_embedding);
    if (!percent) ids.push_back(device.id.value_or(""));
  }
  if (!ids.empty())
    return fmt::format("the utilisation of {} was not measured", fmt::join(ids, ", "));
  return unless(devices.size() >= run.gpus(), "at least one GPU was not measured");
}

Verdict utilization(const JudgedRun& run) {
  const Thresholds& thresholds = run.thresholds;
  Verdict verdict{.id = "PERF-02",
                  .name = "GPU utilisation while embedding",
                  .unit = "%",
                  .bar = bar_from(thresholds.utilization, thresholds.least_utilization)};
  if (skipped(verdict, {run.why_no_gpu(), without_utilization(run), run.why_short()})) {
    return verdict;
  }
  return judged_at_least(std::move(verdict), *least_utilization(run.telemetry),
                         thresholds.utilization, thresholds.least_utilization);
}

Verdict scaling() {
  return {.id = "PERF-03",
          .name = "speed-up by several GPUs",
          .unit = "x",
          .bar = ">= 1.9 on 2 GPUs; on more GPUs, >= 90 % of their number",
          .detail = "one run cannot show a speed-up: run virnucpro benchmark --suite scaling"};
}

Verdict throughput(const JudgedRun& run) {
  const Thresholds& thresholds = run.thresholds;
  Verdict verdict{
      .id = "PERF-04",
      .name = "throughput of ESM-2 3B on each GPU",
      .unit = "tokens/s",
      .bar = bar_from(thresholds.tokens_per_second, thresholds.least_tokens_per_second)};
  if (skipped(verdict,
              {run.why_no_gpu(),
               unless(is_esm2_3b(run.telemetry.models),
                      "the limit is for ESM-2 3B (36 layers of width 2,560); models of other "
                      "sizes have other rates"),
               run.why_short()})) {
    return verdict;
  }
  const double rate =
      run.telemetry.throughput.esm_tokens_per_second.value_or(0) / static_cast<double>(run.gpus());
  verdict.detail = "VirNucPro v2 published 16,500 tokens/s for an RTX 4090";
  return judged_at_least(std::move(verdict), rate, thresholds.tokens_per_second,
                         thresholds.least_tokens_per_second);
}

// Judges the packing. Skips short runs: the last batch is seldom full and would weigh too much.
Verdict packing(const JudgedRun& run) {
  const Thresholds& thresholds = run.thresholds;
  Verdict verdict{.id = "PERF-05",
                  .name = "packing",
                  .unit = "%",
                  .bar = bar_from(thresholds.packing, thresholds.least_packing)};
  if (skipped(verdict, {run.why_no_batch(), run.why_short()})) {
    return verdict;
  }
  return judged_at_least(std::move(verdict), 100 * run.telemetry.packing.efficiency.value_or(0),
                         thresholds.packing, thresholds.least_packing);
}

Verdict starved(const JudgedRun& run) {
  const Thresholds& thresholds = run.thresholds;
  Verdict verdict{.id = "PERF-05",
                  .name = "batches that a worker waited for",
                  .unit = "%",
                  .bar = fmt::format("< {:g}; only a warning below {:g}", thresholds.starved,
                                     thresholds.most_starved)};
  if (skipped(verdict, {run.why_no_batch(), run.why_short()})) {
    return verdict;
  }
  const double share = 100 * static_cast<double>(run.telemetry.waits.queue.starved.value_or(0)) /
                       static_cast<double>(run.batches());
  verdict.value = share;
  verdict.status = status_of(share, thresholds.starved, thresholds.most_starved);
  if (verdict.status != VerdictStatus::kPass) {
    verdict.detail = fmt::format("the host is too slow for the workers: {}",
                                 host_advice(has_spare_processors(run.telemetry)));
  }
  return verdict;
}

// Returns the GPU with the fewest rows in the log and, among equals, the fewest rows by NVML.
const RunTelemetry::Device* least_measured(const std::vector<RunTelemetry::Device>& gpus) {
  const auto least = std::ranges::min_element(gpus, {}, [](const auto& gpu) {
    return std::pair(gpu.rows.value_or(0), gpu.nvml_rows.value_or(0));
  });
  return least == gpus.end() ? nullptr : &*least;
}

std::string why_no_nvml(const RunTelemetry::Text& id, const RunTelemetry::Machine& machine) {
  const auto known = std::ranges::find(machine.devices, id, &RunTelemetry::MachineDevice::id);
  const std::string failure = known == machine.devices.end() ? "" : known->failure.value_or("");
  return failure.empty() ? "NVIDIA's library NVML gave no values"
                         : fmt::format("NVIDIA's library NVML gave no values: {}", failure);
}

// Sets MISS if a GPU has no rows. Sets WARN if NVML measured no row of a GPU, because the GPU's
// rows then have only its memory.
void judge_gpu_rows(const JudgedRun& run, Verdict& verdict) {
  const std::vector<RunTelemetry::Device>& devices = run.telemetry.devices;
  const RunTelemetry::Device* least =
      devices.size() < run.gpus() ? nullptr : least_measured(devices);
  const std::uint64_t rows = least == nullptr ? 0 : least->rows.value_or(0);
  verdict.value = static_cast<double>(rows);
  if (rows == 0) {
    verdict.status = VerdictStatus::kMiss;
    verdict.detail =
        least == nullptr
            ? "for at least one GPU, the log of measurements has no rows"
            : fmt::format("the log of measurements has no rows for {}; {}", least->id.value_or(""),
                          why_no_nvml(least->id, run.telemetry.machine));
    return;
  }
  const auto without = std::ranges::find_if(
      devices, [](const auto& device) { return device.nvml_rows.value_or(0) == 0; });
  if (without != devices.end()) {
    verdict.status = VerdictStatus::kWarn;
    verdict.detail =
        fmt::format("only the memory of {} was measured, by the CUDA runtime; {}",
                    without->id.value_or(""), why_no_nvml(without->id, run.telemetry.machine));
    return;
  }
  verdict.status = VerdictStatus::kPass;
}

Verdict metrics_logged(const JudgedRun& run) {
  const RunTelemetry::Monitor& monitor = run.telemetry.monitor;
  const std::uint64_t written = monitor.written.value_or(0);
  const std::string failure = monitor.failure.value_or("");
  Verdict verdict{.id = "MON-01",
                  .name = "measurements in the log",
                  .unit = "rows",
                  .bar = run.gpus() > 0 ? "> 0 of each GPU, measured by NVML" : "> 0"};
  verdict.value = static_cast<double>(written);
  if (skipped(verdict, {unless(monitor.samples.value_or(0) > 0 || !failure.empty(),
                               "the run ended before the first measurement")})) {
    return verdict;
  }
  if (!failure.empty() || written == 0) {
    verdict.status = VerdictStatus::kMiss;
    verdict.detail = failure;
  } else if (run.gpus() > 0) {
    judge_gpu_rows(run, verdict);
  } else {
    verdict.status = VerdictStatus::kPass;
  }
  return verdict;
}

// Returns the workers' imbalance in percent; empty if a GPU's worker is unknown.
std::optional<double> imbalance_percent(const JudgedRun& run) {
  if (run.telemetry.workers.size() < run.gpus()) return std::nullopt;
  const std::optional<double> share = imbalance_of(run.telemetry.workers);
  return share ? std::optional(100 * *share) : std::nullopt;
}

Verdict balance(const JudgedRun& run) {
  const Thresholds& thresholds = run.thresholds;
  Verdict verdict{.id = "MON-03",
                  .name = "imbalance of the GPUs",
                  .unit = "%",
                  .bar = fmt::format("<= {:g}; only a warning up to {:g}", thresholds.imbalance,
                                     thresholds.most_imbalance)};
  const std::optional<double> imbalance = imbalance_percent(run);
  if (skipped(verdict,
              {unless(run.gpus() > 1, "the run did not use several GPUs"),
               unless(imbalance.has_value(), "no worker computed, or a worker's time is unknown"),
               run.why_short()})) {
    return verdict;
  }
  verdict.detail = "the least busy GPU computed for this much less time than the busiest one";
  return judged_at_most(std::move(verdict), *imbalance, thresholds.imbalance,
                        thresholds.most_imbalance);
}

// Judges by the interval's lower end: the requirement is missed only if even that end is too high.
Verdict changed_calls(const RunTelemetry::Shadow& calls, const Thresholds& thresholds) {
  Verdict verdict{.id = "PREC-01",
                  .name = "calls that the check precision would change",
                  .unit = "of the chunks",
                  .bar = fmt::format("<= {:g}; only a warning up to {:g}", thresholds.changed_calls,
                                     thresholds.most_changed_calls)};
  if (skipped(verdict,
              {unless(calls.sampled.value_or(0) > 0, "the shadow check compared no chunk")}))
    return verdict;
  const auto share = [&calls](const RunTelemetry::Number& changed) {
    return changed.value_or(0) / static_cast<double>(calls.chunks.value_or(0));
  };
  verdict.detail = fmt::format(
      "the value is the lower bound with 97.5 % confidence; the estimate is {:.2g}, the upper "
      "bound {:.2g}",
      share(calls.changed), share(calls.changed_high));
  return judged_at_most(std::move(verdict), share(calls.changed_low), thresholds.changed_calls,
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

std::string why_not_of_reads(const RunTelemetry::Workload& work) {
  if (work.chunks_with_frames.value_or(0) == 0) return "no chunk was scored";
  const double percent = 100 * static_cast<double>(work.one_chunk_sequences.value_or(0)) /
                         static_cast<double>(work.sequences.value_or(0));
  if (percent >= kMostlyOneChunk) return {};
  return fmt::format(
      "the limit is for reads of one chunk: {:.0f} % of these sequences have one chunk, and at "
      "least {:g} % must have one chunk",
      std::floor(percent), kMostlyOneChunk);
}

Verdict judge_projected_time(double hours, const std::string& why_not,
                             const Thresholds& thresholds) {
  Verdict verdict{.id = "PERF-01",
                  .name = "projected time of 6 million reads",
                  .unit = "hours for 6,000,000 reads of one chunk each",
                  .bar = fmt::format("< {:g}; only a warning below {:g}",
                                     thresholds.projected_hours, thresholds.most_projected_hours)};
  if (skipped(verdict, {why_not})) return verdict;
  verdict.value = hours;
  verdict.status = status_of(hours, thresholds.projected_hours, thresholds.most_projected_hours);
  verdict.detail = "projected from the time per scored chunk on this machine";
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

std::vector<Verdict> judge(const RunTelemetry& run, double computing_seconds,
                           const Thresholds& thresholds) {
  const JudgedRun judged{run, computing_seconds, thresholds};
  std::vector<Verdict> verdicts{projected_time(judged), utilization(judged), scaling(),
                                throughput(judged),     packing(judged),     starved(judged),
                                metrics_logged(judged), balance(judged)};
  if (run.shadow.chunks) verdicts.push_back(changed_calls(run.shadow, thresholds));
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
