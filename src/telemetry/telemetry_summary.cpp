#include "telemetry/telemetry_summary.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "base/host_name.hpp"
#include "base/json_writer.hpp"
#include "base/processors.hpp"
#include "base/version.hpp"
#include "telemetry/verdict_json.hpp"

namespace virnucpro {
namespace {

constexpr const char* kTelemetrySchema = "virnucpro-telemetry-1";

double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double per_second(std::uint64_t amount, const Measured& run) {
  return share_of(static_cast<double>(amount), run.pipeline.computing_seconds());
}

Json run_section(const Measured& run) {
  return {{"status", run.status},
          {"started", iso_time(run.started)},
          {"seconds", run.counters.pipeline.seconds()},
          {"models_ready_seconds", run.ready_seconds},
          {"command", run.program.command},
          {"output", run.start.directory.string()},
          {"stem", run.settings.stem},
          {"resumed", run.start.resumed}};
}

Json machine_section(const Measured& run) {
  std::vector<Json> devices;
  for (const DeviceSummary& device : run.monitor.devices) {
    devices.push_back({{"id", device.id},
                       {"name", device.description.name},
                       {"memory_bytes", device.memory_total},
                       {"power_limit_w", device.description.power_limit_w},
                       {"failure", device.failure}});
  }
  return {{"host", host_name()},
          {"processor", run.program.processor},
          {"processors", std::thread::hardware_concurrency()},
          {"driver", run.monitor.driver},
          {"devices", std::move(devices)}};
}

Json settings_section(const Measured& run) {
  const PredictSettings& settings = run.settings;
  const ComputeSettings& compute = settings.compute;
  std::vector<Json> gpus;
  for (const GpuId& gpu : compute.gpus) gpus.push_back(gpu.index);
  return {{"gpus", std::move(gpus)},
          {"cpu_workers", compute.cpu_workers},
          {"precision", name_of(compute.precision)},
          {"threads", compute.threads},
          {"token_budget", run.start.token_budget},
          {"prefetch", compute.prefetch},
          {"packing", compute.packing},
          {"chunk_size", settings.chunk_size},
          {"threshold", settings.threshold},
          {"min_length", settings.min_length},
          {"journal", settings.journal}};
}

Json inputs_of(const RunSummary& summary) {
  std::vector<Json> inputs;
  for (const InputEntry& input : summary.inputs) {
    inputs.push_back({{"name", input.name},
                      {"failed", input.failed},
                      {"records", input.records},
                      {"bytes", input.bytes},
                      {"hash", input.hash}});
  }
  return inputs;
}

Json workload_section(const Measured& run) {
  const RunCounters& counters = run.counters;
  const BatchTotals& computed = run.pipeline.totals;
  Json workload{{"sequences", counters.sequences.get()},
                {"sequences_scored", counters.sequences_scored.get()},
                {"sequences_known", counters.sequences_known.get()},
                {"bases", counters.bases.get()},
                {"chunks", counters.chunks.get()},
                {"frames", counters.frames.get()},
                {"frames_scored", counters.frames_scored.get()},
                {"esm_tokens", computed.esm_tokens},
                {"dna_tokens", computed.dna_tokens},
                {"batches", computed.batches}};
  if (run.summary == nullptr) return workload;
  workload["virus_sequences"] = run.summary->counts.virus_sequences;
  workload["unscored_sequences"] = run.summary->counts.unscored_sequences;
  workload["failed_frames"] = run.summary->counts.failed_frames;
  workload["inputs"] = inputs_of(*run.summary);
  return workload;
}

Json throughput_section(const Measured& run) {
  const PipelineSummary& pipeline = run.pipeline;
  const BatchTotals& totals = pipeline.totals;
  return {{"sequences_per_second", per_second(run.counters.sequences_scored.get(), run)},
          {"frames_per_second", per_second(totals.frames, run)},
          {"esm_tokens_per_second", per_second(totals.esm_tokens, run)},
          {"tokens_per_second", per_second(totals.esm_tokens + totals.dna_tokens, run)},
          {"over_time",
           {{"interval_seconds", pipeline.esm_tokens.interval()},
            {"frames", pipeline.frames.amounts()},
            {"esm_tokens", pipeline.esm_tokens.amounts()}}}};
}

Json waits_section(const PipelineSummary& pipeline) {
  Json queue = Json::object();
  for (std::size_t i = 0; i < kQueueStateNames.size(); ++i) {
    queue[kQueueStateNames[i]] = pipeline.queue_states[i];
  }
  const auto starved = pipeline.queue_states[static_cast<std::size_t>(QueueState::kStarved)];
  return {{"average_seconds", pipeline.waiting.mean()},
          {"p50_seconds", pipeline.waiting.quantile(0.5)},
          {"p95_seconds", pipeline.waiting.quantile(0.95)},
          {"max_seconds", pipeline.waiting.max()},
          {"queue", std::move(queue)},
          {"starved_share",
           share_of(static_cast<double>(starved), static_cast<double>(pipeline.totals.batches))}};
}

std::vector<Stage> stages_of(const Measured& run) {
  const BatchTimes& times = run.pipeline.totals.times;
  std::vector<Stage> stages;
  for (const BatchTimeField& field : kBatchTimeFields) {
    if (field.seconds == &BatchTimes::to_device) continue;  // beside other batches
    const double seconds = times.*field.seconds;
    stages.push_back({.name = field.name,
                      .clock = StageClock::kDevice,
                      .seconds = seconds,
                      .share = share_of(seconds, times.all())});
  }
  const HostTimes& host = run.counters.host;
  const double whole = run.counters.pipeline.seconds();
  const auto add = [&](std::string_view name, const TimeCounter& time) {
    stages.push_back({.name = name,
                      .clock = StageClock::kHost,
                      .seconds = time.seconds(),
                      .share = share_of(time.seconds(), whole)});
  };
  add("read", host.read);
  add("translate", host.translate);
  add("journal", host.journal);
  add("tables", host.tables);
  return stages;
}

Json stages_section(const std::vector<Stage>& stages) {
  std::vector<Json> section;
  for (const Stage& stage : stages) {
    section.push_back({{"name", stage.name},
                       {"clock", name_of(stage.clock)},
                       {"seconds", stage.seconds},
                       {"share", stage.share}});
  }
  return section;
}

Json workers_section(const Measured& run) {
  std::vector<Json> section;
  std::vector<BatchTotals> workers = run.pipeline.workers;
  workers.resize(std::max<std::size_t>(workers.size(), run.counters.workers.get()));  // the idle
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const BatchTotals& worker = workers[i];
    section.push_back({{"index", i},
                       {"name", worker_name(run.settings.compute, i)},
                       {"batches", worker.batches},
                       {"frames", worker.frames},
                       {"esm_tokens", worker.esm_tokens},
                       {"busy_seconds", worker.times.busy()},
                       {"waiting_seconds", worker.times.waiting},
                       {"busy_share", share_of(worker.times.busy(), worker.times.all())}});
  }
  return section;
}

Json statistic(const Statistic& value) {
  if (value.count == 0) return nullptr;
  return {{"average", value.mean},
          {"minimum", value.min},
          {"maximum", value.max},
          {"samples", value.count}};
}

constexpr std::array kAllPhases{Phase::kStart, Phase::kEmbedding, Phase::kTables};

Json device_phase(const GpuStatistics& values, Phase phase) {
  return {{"phase", name_of(phase)},
          {"utilization_percent", statistic(values.utilization_percent)},
          {"memory_used_bytes", statistic(values.memory_used)},
          {"power_w", statistic(values.power_w)},
          {"temperature_c", statistic(values.temperature_c)},
          {"sm_clock_mhz", statistic(values.sm_clock_mhz)}};
}

Json devices_section(const MonitorSummary& monitor) {
  std::vector<Json> section;
  for (const DeviceSummary& device : monitor.devices) {
    std::vector<Json> phases;
    for (const Phase phase : kAllPhases) phases.push_back(device_phase(device.of(phase), phase));
    const GpuStatistics whole = device.whole();
    section.push_back({{"id", device.id},
                       {"phases", std::move(phases)},
                       {"throttle_reasons", throttle_names(whole.throttle_reasons)},
                       {"ecc_errors", statistic(whole.ecc_errors)}});
  }
  return section;
}

Json host_section(const HostSummary& host) {
  std::vector<Json> phases;
  std::optional<std::uint64_t> peak = host.usage.peak_rss_bytes;
  for (const Phase phase : kAllPhases) {
    const Statistic& resident = host.of(phase).rss_bytes;  // the workers', too
    if (resident.count > 0)
      peak = std::max(peak.value_or(0), static_cast<std::uint64_t>(resident.max));
    phases.push_back({{"phase", name_of(phase)},
                      {"cpu_percent", statistic(host.of(phase).cpu_percent)},
                      {"rss_bytes", statistic(resident)}});
  }
  return {{"phases", std::move(phases)},
          {"cpu_seconds", host.usage.cpu_seconds},
          {"peak_rss_bytes", peak},
          {"read_bytes", host.usage.read_bytes},
          {"written_bytes", host.usage.written_bytes},
          {"cgroup_memory_peak_bytes", host.cgroup.peak_bytes}};
}

// While embedding, of the GPU that was the least busy.
std::optional<double> least_utilization(const MonitorSummary& monitor) {
  std::optional<double> least;
  for (const DeviceSummary& device : monitor.devices) {
    const Statistic& value = device.of(Phase::kEmbedding).utilization_percent;
    if (value.count > 0) least = std::min(least.value_or(value.mean), value.mean);
  }
  return least;
}

bool is_power_capped(const MonitorSummary& monitor) {
  return std::ranges::any_of(monitor.devices, [](const DeviceSummary& device) {
    const auto reasons = device.of(Phase::kEmbedding).throttle_reasons;
    return throttle_names(reasons).find("power") != std::string::npos;
  });
}

bool has_spare_processors(const Measured& run) {
  return run.settings.compute.threads < usable_processors();
}

Json bottlenecks_section(const Measured& run, const std::vector<Stage>& stages) {
  const StageSurroundings around{.utilization = least_utilization(run.monitor),
                                 .power_capped = is_power_capped(run.monitor),
                                 .on_gpu = !run.settings.compute.gpus.empty(),
                                 .spare_processors = has_spare_processors(run)};
  std::vector<Json> section;
  for (const Bottleneck& found : find_bottlenecks(stages, around)) {
    section.push_back({{"stage", found.stage},
                       {"share", found.share},
                       {"cause", found.cause},
                       {"advice", found.advice}});
  }
  return section;
}

}  // namespace

std::string worker_name(const ComputeSettings& compute, std::size_t index) {
  const std::vector<GpuId>& gpus = compute.gpus;
  if (gpus.empty()) return "cpu";
  return "cuda:" + std::to_string(gpus[std::min(index, gpus.size() - 1)].index);
}

RunMeasurements measurements_of(const Measured& run) {
  const BatchTotals& totals = run.pipeline.totals;
  return {
      .computing_seconds = run.pipeline.computing_seconds(),
      .sequences = run.counters.sequences_scored.get(),
      .utilization = least_utilization(run.monitor),
      .gpus = run.settings.compute.gpus.size(),
      .packing = 100 * totals.packing(),
      .batches = totals.batches,
      .starved_batches = run.pipeline.queue_states[static_cast<std::size_t>(QueueState::kStarved)],
      .spare_processors = has_spare_processors(run),
      .samples = run.monitor.samples,
      .monitor_failure = run.monitor_failure};
}

std::string telemetry_json(const Measured& run, const std::vector<Verdict>& verdicts) {
  const PipelineSummary& pipeline = run.pipeline;
  const std::vector<Stage> stages = stages_of(run);
  const Json json{{"schema", kTelemetrySchema},
                  {"run", run_section(run)},
                  {"program",
                   {{"version", program_version()},
                    {"build", run.program.build},
                    {"commit", run.program.commit}}},
                  {"machine", machine_section(run)},
                  {"settings", settings_section(run)},
                  {"models",
                   {{"description", run.start.description},
                    {"kernel_path", run.start.kernel_path},
                    {"synthetic", run.start.synthetic}}},
                  {"workload", workload_section(run)},
                  {"throughput", throughput_section(run)},
                  {"packing",
                   {{"efficiency", pipeline.totals.packing()},
                    {"budget_tokens", pipeline.totals.budget_tokens}}},
                  {"waits", waits_section(pipeline)},
                  {"stages", stages_section(stages)},
                  {"workers", workers_section(run)},
                  {"devices", devices_section(run.monitor)},
                  {"host", host_section(run.monitor.host)},
                  {"verdicts", verdicts_json(verdicts)},
                  {"bottlenecks", bottlenecks_section(run, stages)}};
  return json.dump(2) + "\n";
}

}  // namespace virnucpro
