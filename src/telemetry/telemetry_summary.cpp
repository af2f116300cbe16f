#include "telemetry/telemetry_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/host.hpp"
#include "base/version.hpp"
#include "run/load_models.hpp"
#include "run/shadow_check.hpp"
#include "run/start_models.hpp"
#include "telemetry/bottlenecks.hpp"

namespace virnucpro {
namespace {

double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double per_second(std::uint64_t amount, const PipelineSummary& pipeline) {
  return share_of(static_cast<double>(amount), pipeline.computing_seconds());
}

RunTelemetry::Run run_section(const Measured& run) {
  return {.status = run.status,
          .started = iso_time(run.started),
          .output = run.start.directory->path().string(),
          .stem = run.settings.stem,
          .seconds = run.counters.pipeline.seconds(),
          .models_ready_seconds = run.ready_seconds,
          .command = run.program.command,
          .resumed = run.start.resumed};
}

// Returns a GPU's UUID. Its id is ambiguous: two jobs of a cluster may use different GPUs of one
// host, and each job may name its GPU cuda:0.
std::optional<std::string> uuid_of(const std::string& id, const ComputeSettings& compute) {
  for (std::size_t k = 0; k < compute.gpus.size(); ++k) {
    if (worker_name(compute, k) == id && !compute.gpus[k].uuid.empty()) return compute.gpus[k].uuid;
  }
  return std::nullopt;
}

RunTelemetry::Machine machine_section(const Measured& run) {
  RunTelemetry::Machine machine{.host = host_name(),
                                .processor = run.program.processor,
                                .driver = run.monitor.driver,
                                .processors = std::thread::hardware_concurrency()};
  for (const DeviceSummary& device : run.monitor.devices) {
    machine.devices.push_back({.id = device.id,
                               .uuid = uuid_of(device.id, run.settings.compute),
                               .name = device.description.name,
                               .failure = device.failure,
                               .memory_bytes = device.memory_total,
                               .power_limit_w = device.description.power_limit_w});
  }
  return machine;
}

std::optional<std::string> kept_of(const ComputeSettings& compute) {
  if (compute.precision != Precision::kInt8) return std::nullopt;
  return compute.int8_policy.text();
}

std::optional<std::string> check_precision_of(const ComputeSettings& compute) {
  if (!compute.check_precision) return std::nullopt;
  return std::string(name_of(*compute.check_precision));
}

RunTelemetry::Settings settings_section(const Measured& run) {
  const PredictSettings& settings = run.settings;
  const ComputeSettings& compute = settings.compute;
  std::vector<std::uint64_t> gpus;
  for (const GpuId& gpu : compute.gpus) gpus.push_back(static_cast<std::uint64_t>(gpu.index));
  return {.gpus = std::move(gpus),
          .cpu_workers = compute.cpu_workers,
          .threads = compute.threads,
          .token_budget = run.start.token_budget,
          .prefetch = compute.prefetch,
          .chunk_size = settings.chunk_size,
          .min_length = settings.min_length,
          .rule = std::string(word_of(settings.rule.name())),
          .precision = precision_name(compute),
          .int8_keep = kept_of(compute),
          .check_precision = check_precision_of(compute),
          .token_budget_asked =
              compute.token_budget == 0 ? "auto" : std::to_string(compute.token_budget),
          .token_budget_plans = budget_plans(compute, run.start.workers),
          .margin = settings.margin,
          .shadow = settings.shadow,
          .min_score = settings.rule.min_score(),
          .min_share = settings.rule.min_share(),
          .journal_interval = settings.journal_interval,
          .packing = compute.packing,
          .journal = settings.journal};
}

void set_count(std::string_view /*name*/, RunTelemetry::Count& count, const Counter& counter) {
  count = counter.get();
}

RunTelemetry::CloseCalls close_calls_section(const Measured& run) {
  RunTelemetry::CloseCalls section;
  if (!run.settings.compute.check_precision) return section;
  for_each_pair(section, run.counters.close_calls, set_count);
  return section;
}

RunTelemetry::Shadow shadow_section(const Measured& run) {
  const double share = run.settings.shadow;
  if (share == 0) return {};
  const ShadowCounters& counters = run.counters.shadow;
  const ShadowEstimate estimate = shadow_estimate(counters, share);
  RunTelemetry::Shadow section{.chunks = estimate.chunks,
                               .sampled = estimate.sampled,
                               .frames = counters.logits.count(),
                               .esm_tokens = counters.esm_tokens.get(),
                               .changed = estimate.changed,
                               .changed_low = estimate.low,
                               .changed_high = estimate.high,
                               .logit_mean = counters.logits.mean(),
                               .logit_rms = counters.logits.rms(),
                               .logit_largest = counters.logits.largest(),
                               .centred_cosine = counters.embeddings.value()};
  for (std::size_t k = 0; k < kShadowStrata; ++k) {
    RunTelemetry::Shadow::Stratum& stratum = section.strata.emplace_back();
    stratum.from_logits = shadow_distance(k, run.settings.margin);
    stratum.share = shadow_chance(k, share);
    for_each_pair(stratum.inherited(), counters.strata.at(k), set_count);
  }
  return section;
}

RunTelemetry::Workload workload_section(const Measured& run) {
  const RunCounters& counters = run.counters;
  const BatchTotals& computed = run.pipeline.totals;
  RunTelemetry::Workload workload{.sequences = counters.sequences.get(),
                                  .sequences_scored = counters.sequences_scored.get(),
                                  .sequences_known = counters.sequences_known.get(),
                                  .bases = counters.bases.get(),
                                  .chunks = counters.chunks.get(),
                                  .one_chunk_sequences = counters.one_chunk_sequences.get(),
                                  .chunks_with_frames = counters.chunks_with_frames.get(),
                                  .frames = counters.frames.get(),
                                  .frames_scored = counters.frames_scored.get(),
                                  .esm_tokens = computed.esm_tokens,
                                  .dna_tokens = computed.dna_tokens,
                                  .batches = computed.batches};
  if (run.summary == nullptr) return workload;
  workload.virus_sequences = run.summary->counts.virus_sequences;
  workload.ambiguous_sequences = run.summary->counts.ambiguous_sequences;
  workload.unscored_sequences = run.summary->counts.unscored_sequences;
  workload.failed_frames = run.summary->counts.failed_frames;
  workload.inputs = inputs_section(run.summary->inputs);
  return workload;
}

// Returns rates without sequences per second, because batches do not show where a sequence ends.
RunTelemetry::Throughput throughput_section(const PipelineSummary& pipeline) {
  const BatchTotals& totals = pipeline.totals;
  return {.frames_per_second = per_second(totals.frames, pipeline),
          .esm_tokens_per_second = per_second(totals.esm_tokens, pipeline),
          .tokens_per_second = per_second(totals.esm_tokens + totals.dna_tokens, pipeline),
          .over_time = {.interval_seconds = pipeline.esm_tokens.interval(),
                        .frames = pipeline.frames.amounts(),
                        .esm_tokens = pipeline.esm_tokens.amounts()}};
}

RunTelemetry::Packing packing_section(const PipelineSummary& pipeline) {
  return {.efficiency = pipeline.totals.packing(),
          .least = pipeline.least_packing,
          .budget_tokens = pipeline.totals.budget_tokens,
          .batches_below_80_percent = pipeline.loose_batches};
}

RunTelemetry::Waits waits_section(const PipelineSummary& pipeline) {
  const auto [starved, normal, full] = pipeline.queue_states;
  return {.average_seconds = pipeline.waiting.mean(),
          .p50_seconds = pipeline.waiting.quantile(0.5),
          .p95_seconds = pipeline.waiting.quantile(0.95),
          .max_seconds = pipeline.waiting.max(),
          .starved_share =
              share_of(static_cast<double>(starved), static_cast<double>(pipeline.totals.batches)),
          .queue = {.starved = starved, .normal = normal, .full = full}};
}

RunTelemetry::Stage stage(StageClock clock, std::string_view name, double seconds, double of_all) {
  return {.name = std::string(name),
          .clock = std::string(name_of(clock)),
          .seconds = seconds,
          .share = share_of(seconds, of_all)};
}

// Returns the mean utilization of all GPUs in one phase, in percent.
std::optional<double> utilization_in(Phase phase, const MonitorSummary& monitor) {
  Statistic all;
  for (const DeviceSummary& device : monitor.devices) {
    all = combined(all, device.of(phase).utilization_percent);
  }
  return all.samples > 0 ? std::optional(all.average) : std::nullopt;
}

void add_rates(const BatchTotals& totals, const MonitorSummary& monitor,
               RunTelemetry::Stage& stage) {
  const auto add = [&](Phase phase, std::uint64_t tokens) {
    if (stage.name != name_of(phase)) return;
    stage.utilization_percent = utilization_in(phase, monitor);
    if (*stage.seconds > 0) stage.tokens_per_second = static_cast<double>(tokens) / *stage.seconds;
  };
  add(Phase::kEsm2, totals.esm_tokens);
  add(Phase::kDnabertS, totals.dna_tokens);
}

std::vector<RunTelemetry::Stage> device_stages(const BatchTotals& totals,
                                               const MonitorSummary& monitor) {
  const BatchTimes& times = totals.times;
  std::vector<RunTelemetry::Stage> stages;
  for (const BatchTimeField& field : kBatchTimeFields) {
    if (field.seconds == &BatchTimes::to_device) continue;  // overlaps the work of other batches
    stages.push_back(stage(StageClock::kDevice, field.name, times.*field.seconds, times.all()));
    add_rates(totals, monitor, stages.back());
  }
  return stages;
}

std::vector<RunTelemetry::Stage> stages_section(const Measured& run) {
  std::vector<RunTelemetry::Stage> stages = device_stages(run.pipeline.totals, run.monitor);
  const HostTimes& host = run.counters.host;
  const double whole = run.counters.pipeline.seconds();
  stages.push_back(stage(StageClock::kHost, "read", host.read.seconds(), whole));
  stages.push_back(stage(StageClock::kHost, "translate", host.translate.seconds(), whole));
  stages.push_back(stage(StageClock::kHost, "journal", host.journal.seconds(), whole));
  stages.push_back(stage(StageClock::kHost, "tables", host.tables.seconds(), whole));
  return stages;
}

RunTelemetry::Worker worker_record(std::string name, std::size_t index, const BatchTotals& worker) {
  RunTelemetry::Worker record{.name = std::move(name),
                              .index = index,
                              .batches = worker.batches,
                              .frames = worker.frames,
                              .esm_tokens = worker.esm_tokens,
                              .busy_seconds = worker.times.busy(),
                              .waiting_seconds = worker.times.waiting,
                              .busy_share = share_of(worker.times.busy(), worker.times.all())};
  if (worker.memory) {
    record.memory_reserved_bytes = worker.memory->reserved;
    record.memory_used_bytes = worker.memory->used;
    record.memory_peak_bytes = worker.memory->peak;
  }
  return record;
}

std::vector<RunTelemetry::Worker> workers_section(const Measured& run) {
  std::vector<RunTelemetry::Worker> section;
  std::vector<BatchTotals> workers = run.pipeline.workers;
  workers.resize(
      std::max<std::size_t>(workers.size(), run.counters.workers.get()));  // includes idle workers
  for (std::size_t i = 0; i < workers.size(); ++i) {
    section.push_back(worker_record(worker_name(run.settings.compute, i), i, workers[i]));
  }
  return section;
}

// Returns a killed run's workers that computed a batch. They are known only from the batch lines,
// so idle workers are missing.
std::vector<RunTelemetry::Worker> workers_section(const PipelineSummary& pipeline) {
  std::vector<RunTelemetry::Worker> section;
  for (std::size_t i = 0; i < pipeline.workers.size(); ++i) {
    const BatchTotals& worker = pipeline.workers[i];
    if (worker.batches == 0) continue;
    section.push_back(worker_record(fmt::format("worker {}", i), i, worker));
  }
  return section;
}

std::vector<RunTelemetry::Device> devices_section(const MonitorSummary& monitor) {
  std::vector<RunTelemetry::Device> section;
  for (const DeviceSummary& device : monitor.devices) {
    const GpuStatistics whole = device.whole();
    section.push_back({.id = device.id,
                       .throttle_reasons = throttle_names(whole.throttle_reasons),
                       .rows = device.rows,
                       .nvml_rows = device.nvml_rows,
                       .ecc_errors = whole.ecc_errors});
    for (const Phase phase : kAllPhases) {
      section.back().phases.push_back({device.of(phase), std::string(name_of(phase))});
    }
  }
  return section;
}

RunTelemetry::Host host_section(const HostSummary& host) {
  RunTelemetry::Host section{.cpu_seconds = host.usage.cpu_seconds,
                             .peak_rss_bytes = host.usage.peak_rss_bytes,
                             .read_bytes = host.usage.read_bytes,
                             .written_bytes = host.usage.written_bytes,
                             .cgroup_memory_peak_bytes = host.cgroup.memory_peak};
  for (const Phase phase : kAllPhases) {
    const Statistic& resident = host.of(phase).rss_bytes;  // includes the worker processes
    if (resident.samples > 0) {
      section.peak_rss_bytes = std::max(section.peak_rss_bytes.value_or(0),
                                        static_cast<std::uint64_t>(resident.maximum));
    }
    section.phases.push_back({host.of(phase), std::string(name_of(phase))});
  }
  return section;
}

RunTelemetry::Monitor monitor_section(const MonitorSummary& monitor) {
  RunTelemetry::Monitor section{
      .samples = monitor.samples, .written = monitor.written, .failure = std::string()};
  if (monitor.written == monitor.samples) return section;
  section.failure = fmt::format("{} of {} measurements are not in the log",
                                monitor.samples - monitor.written, monitor.samples);
  if (!monitor.file_failure.empty()) *section.failure += ": " + monitor.file_failure;
  return section;
}

bool is_power_capped(const MonitorSummary& monitor) {
  return std::ranges::any_of(monitor.devices, [](const DeviceSummary& device) {
    return throttle_names(device.while_embedding().throttle_reasons).find("power") !=
           std::string::npos;
  });
}

// Returns the largest number of ESM-2 layers of a worker. Workers that are not ready have 0 layers.
std::uint64_t esm2_layers_of(const std::vector<EngineFacts>& workers) {
  std::uint64_t layers = 0;
  for (const EngineFacts& worker : workers) {
    layers = std::max<std::uint64_t>(layers, worker.esm2_layers);
  }
  return layers;
}

}  // namespace

std::vector<RunTelemetry::Input> inputs_section(const std::vector<InputEntry>& inputs) {
  std::vector<RunTelemetry::Input> section;
  for (const InputEntry& input : inputs) {
    section.push_back({.name = input.name,
                       .hash = input.hash,
                       .failed = input.failed,
                       .records = input.records,
                       .bytes = input.bytes});
  }
  return section;
}

std::vector<RunTelemetry::Verdict> verdicts_section(const std::vector<Verdict>& verdicts) {
  std::vector<RunTelemetry::Verdict> section;
  for (const Verdict& verdict : verdicts) {
    section.push_back({.id = std::string(verdict.id),
                       .name = std::string(verdict.name),
                       .status = std::string(name_of(verdict.status)),
                       .unit = std::string(verdict.unit),
                       .bar = verdict.bar,
                       .detail = verdict.detail,
                       .value = verdict.value});
  }
  return section;
}

RunTelemetry telemetry_of(const Measured& run) {
  RunTelemetry telemetry{.schema = kTelemetrySchema,
                         .run = run_section(run),
                         .program = {.version = std::string(program_version()),
                                     .build = run.program.build,
                                     .commit = run.program.commit},
                         .machine = machine_section(run),
                         .settings = settings_section(run),
                         .models = {.description = run.start.description,
                                    .kernel_path = run.start.kernel_path,
                                    .synthetic = run.start.synthetic,
                                    .esm2_layers = esm2_layers_of(run.start.workers),
                                    .esm2_width = run.start.esm2_width},
                         .workload = workload_section(run),
                         .close_calls = close_calls_section(run),
                         .shadow = shadow_section(run),
                         .throughput = throughput_section(run.pipeline),
                         .packing = packing_section(run.pipeline),
                         .waits = waits_section(run.pipeline),
                         .stages = stages_section(run),
                         .workers = workers_section(run),
                         .devices = devices_section(run.monitor),
                         .host = host_section(run.monitor.host),
                         .monitor = monitor_section(run.monitor)};
  telemetry.throughput.sequences_per_second =
      per_second(run.counters.sequences_scored.get(), run.pipeline);
  telemetry.bottlenecks =
      find_bottlenecks(telemetry.stages, {.utilization = least_utilization(telemetry),
                                          .power_capped = is_power_capped(run.monitor),
                                          .on_gpu = !run.settings.compute.gpus.empty(),
                                          .spare_processors = has_spare_processors(telemetry)});
  return telemetry;
}

RunTelemetry telemetry_of_killed_run(const BatchFacts& batches, const MetricFacts& metrics) {
  RunTelemetry telemetry{.devices = devices_section(metrics.summary),
                         .host = host_section(metrics.summary.host)};
  // nvml_rows is unknown, because the log does not say which values NVML measured.
  for (RunTelemetry::Device& device : telemetry.devices) device.nvml_rows.reset();
  const PipelineSummary& pipeline = batches.pipeline;
  const BatchTotals& totals = pipeline.totals;
  if (totals.batches == 0) return telemetry;
  telemetry.run.seconds = pipeline.last;
  telemetry.workload.esm_tokens = totals.esm_tokens;
  telemetry.workload.dna_tokens = totals.dna_tokens;
  telemetry.workload.batches = totals.batches;
  telemetry.throughput = throughput_section(pipeline);
  telemetry.packing = packing_section(pipeline);
  telemetry.waits = waits_section(pipeline);
  telemetry.stages = device_stages(totals, metrics.summary);
  telemetry.stages.push_back(
      stage(StageClock::kHost, "journal", batches.journal_seconds, pipeline.last));
  telemetry.workers = workers_section(pipeline);
  return telemetry;
}

}  // namespace virnucpro
