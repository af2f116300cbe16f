#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "observe/counters.hpp"
#include "observe/gauges.hpp"
#include "observe/phase.hpp"
#include "observe/statistic.hpp"

namespace virnucpro {

// The contents of telemetry_<time>.json (docs/reference/telemetry.schema.json). An empty member was
// not measured: in the file it is null or missing.
struct RunTelemetry {
  using Count = std::optional<std::uint64_t>;
  using Number = std::optional<double>;
  using Text = std::optional<std::string>;
  using Flag = std::optional<bool>;
  // A file has at most this many GPUs and at most this many workers, even in a merged run.
  static constexpr std::size_t kMostUnits = 1024;

  struct Run {
    Text status{}, started{}, output{}, stem{};
    Number seconds{}, models_ready_seconds{};
    std::vector<std::string> command{};
    Flag resumed{};
    VIRNUCPRO_FIELDS(status, started, seconds, models_ready_seconds, command, output, stem,
                     resumed);
    VIRNUCPRO_RULE(keeps_most, models_ready_seconds);
  };
  struct Program {
    Text version{}, build{}, commit{};
    VIRNUCPRO_FIELDS(version, build, commit);
  };
  struct MachineDevice {
    static constexpr std::size_t kMostRead = kMostUnits;
    Text id{}, uuid{}, name{}, failure{};
    Count memory_bytes{};
    Number power_limit_w{};
    VIRNUCPRO_FIELDS(id, uuid, name, memory_bytes, power_limit_w, failure);
  };
  struct Machine {
    Text host{}, processor{}, driver{};
    Count processors{};
    std::vector<MachineDevice> devices{};
    VIRNUCPRO_FIELDS(host, processor, processors, driver, devices);
  };
  struct Settings {
    std::vector<std::uint64_t> gpus{};
    Count cpu_workers{}, threads{}, token_budget{}, prefetch{}, chunk_size{}, min_length{};
    Text rule{};                                    // the rule for calls; missing in older files
    Text precision{}, int8_keep{};                  // int8_keep only with int8
    Text check_precision{};                         // empty without --margin and --shadow
    Text token_budget_asked{};                      // "auto", or a number
    std::vector<std::string> token_budget_plans{};  // how each worker's budget was planned
    Number margin{}, shadow{}, min_score{}, min_share{}, journal_interval{};
    Flag packing{}, journal{};
    VIRNUCPRO_FIELDS(gpus, cpu_workers, precision, int8_keep, margin, shadow, check_precision,
                     threads, token_budget, token_budget_asked, token_budget_plans, prefetch,
                     packing, chunk_size, rule, min_score, min_share, min_length, journal,
                     journal_interval);
  };
  struct Models {
    std::map<std::string, std::string> description{};  // not read, because its keys vary
    Text kernel_path{};
    Flag synthetic{};
    Count esm2_layers{}, esm2_width{};
    VIRNUCPRO_FIELDS(description, kernel_path, synthetic, esm2_layers, esm2_width);
  };

  struct Input {
    Text name{}, hash{};
    Flag failed{};
    Count records{}, bytes{};
    VIRNUCPRO_FIELDS(name, failed, records, bytes, hash);
  };
  // The close calls of this session; all fields are empty without a check precision.
  using CloseCalls = CloseCallFigures<Count>;
  // The shadow check's estimate for chunks that were not computed again; empty without the check.
  struct Shadow {
    struct Stratum : StratumFigures<Count> {
      Number from_logits{}, share{};  // smallest logit error that changes the call; share sampled
      VIRNUCPRO_FIELDS_BEFORE(StratumFigures<Count>, from_logits, share);
      VIRNUCPRO_RULE(not_added, from_logits, share);
    };
    Count chunks{}, sampled{}, frames{}, esm_tokens{};
    Number changed{}, changed_low{}, changed_high{};  // changed calls: estimate, 95 % interval
    Number logit_mean{}, logit_rms{}, logit_largest{};
    Number centred_cosine{};  // of ESM-2's embeddings, all frames together
    std::vector<Stratum> strata{};
    VIRNUCPRO_FIELDS(chunks, sampled, frames, esm_tokens, changed, changed_low, changed_high,
                     logit_mean, logit_rms, logit_largest, centred_cosine, strata);
    VIRNUCPRO_RULE(keeps_most, logit_largest);
    VIRNUCPRO_RULE(keeps_least, centred_cosine);
    VIRNUCPRO_RULE(not_added, logit_mean, logit_rms);
  };
  struct Workload {
    Count sequences{}, sequences_scored{}, sequences_known{}, bases{}, chunks{};
    Count one_chunk_sequences{}, chunks_with_frames{}, frames{}, frames_scored{}, esm_tokens{},
        dna_tokens{}, batches{};
    // Only the file of a finished run has these fields; other files leave them out.
    Count virus_sequences{}, ambiguous_sequences{}, unscored_sequences{}, failed_frames{};
    std::optional<std::vector<Input>> inputs{};
    static constexpr bool kLacksWhatIsEmpty = true;
    VIRNUCPRO_FIELDS(sequences, sequences_scored, sequences_known, bases, chunks,
                     one_chunk_sequences, chunks_with_frames, frames, frames_scored, esm_tokens,
                     dna_tokens, batches, virus_sequences, ambiguous_sequences, unscored_sequences,
                     failed_frames, inputs);
  };

  struct OverTime {
    Number interval_seconds{};
    std::vector<std::uint64_t> frames{}, esm_tokens{};  // one value per interval
    VIRNUCPRO_FIELDS(interval_seconds, frames, esm_tokens);
  };
  struct Throughput {
    Number sequences_per_second{}, frames_per_second{}, esm_tokens_per_second{};
    Number tokens_per_second{};
    OverTime over_time{};
    VIRNUCPRO_FIELDS(sequences_per_second, frames_per_second, esm_tokens_per_second,
                     tokens_per_second, over_time);
  };
  struct Packing {
    Number efficiency{}, least{};  // efficiency of all batches; the lowest of one batch
    Count budget_tokens{}, batches_below_80_percent{};
    VIRNUCPRO_FIELDS(efficiency, budget_tokens, least, batches_below_80_percent);
    VIRNUCPRO_RULE(keeps_least, least);
    VIRNUCPRO_RULE(not_added, efficiency);
  };
  struct Queue {
    Count starved{}, normal{}, full{};
    VIRNUCPRO_FIELDS(starved, normal, full);
  };
  struct Waits {
    Number average_seconds{}, p50_seconds{}, p95_seconds{}, max_seconds{}, starved_share{};
    Queue queue{};
    VIRNUCPRO_FIELDS(average_seconds, p50_seconds, p95_seconds, max_seconds, queue, starved_share);
    VIRNUCPRO_RULE(keeps_most, p50_seconds, p95_seconds, max_seconds);
    VIRNUCPRO_RULE(not_added, average_seconds, starved_share);
  };
  // The time of a stage. A device stage's `share` is a part of all workers' time between their
  // first and last batch, and these shares add up to 1. A host stage's `share` is a part of the
  // run's time; the devices work at the same time.
  struct Stage {
    Text name{}, clock{};
    Number seconds{}, share{};
    // Only for models: GPU utilization and tokens per second, while the GPUs compute the model.
    Number utilization_percent{}, tokens_per_second{};
    VIRNUCPRO_FIELDS(name, clock, seconds, share, utilization_percent, tokens_per_second);
  };
  struct Worker {
    static constexpr std::size_t kMostRead = kMostUnits;
    Text name{};
    Count index{}, batches{}, frames{}, esm_tokens{};
    Number busy_seconds{}, waiting_seconds{}, busy_share{};
    // The memory of the worker's allocator after its last batch; empty on the CPU.
    Count memory_reserved_bytes{}, memory_used_bytes{}, memory_peak_bytes{};
    VIRNUCPRO_FIELDS(index, name, batches, frames, esm_tokens, busy_seconds, waiting_seconds,
                     busy_share, memory_reserved_bytes, memory_used_bytes, memory_peak_bytes);
    VIRNUCPRO_RULE(keeps_most, memory_reserved_bytes, memory_used_bytes, memory_peak_bytes);
    VIRNUCPRO_RULE(not_added, index, busy_share);
  };

  // In the file, a statistic without values is null.
  struct DevicePhase : GpuGauges<Statistic> {
    Text phase{};
    VIRNUCPRO_FIELDS_BEFORE(GpuGauges<Statistic>, phase);
  };
  struct Device {
    static constexpr std::size_t kMostRead = kMostUnits;
    Text id{}, throttle_reasons{};
    Count rows{}, nvml_rows{};          // rows in the log with a value; rows that NVML measured
    std::vector<DevicePhase> phases{};  // older files lack phases esm2, dnabert_s
    Statistic ecc_errors{};
    VIRNUCPRO_FIELDS(id, rows, nvml_rows, phases, throttle_reasons, ecc_errors);
  };
  struct HostPhase : HostGauges<Statistic> {
    Text phase{};
    VIRNUCPRO_FIELDS_BEFORE(HostGauges<Statistic>, phase);
  };
  struct Host {
    std::vector<HostPhase> phases{};
    Number cpu_seconds{};
    Count peak_rss_bytes{}, read_bytes{}, written_bytes{}, cgroup_memory_peak_bytes{};
    VIRNUCPRO_FIELDS(phases, cpu_seconds, peak_rss_bytes, read_bytes, written_bytes,
                     cgroup_memory_peak_bytes);
    VIRNUCPRO_RULE(keeps_most, peak_rss_bytes, cgroup_memory_peak_bytes);
  };

  // The log of measurements. A sample has a row for each device and a row for the host.
  struct Monitor {
    Count samples{}, written{};  // samples taken; samples in the log
    Text failure{};              // why the log lacks samples; else empty
    VIRNUCPRO_FIELDS(samples, written, failure);
  };

  // The measurements of one shard's sessions in a merged run.
  struct ShardPart {
    static constexpr std::size_t kMostRead = 4096;
    Text shard{}, directory{}, started{}, host{}, gpus{};
    Count sessions{};  // sessions with telemetry
    Number seconds{}, esm_tokens_per_second{};
    Count sequences{}, esm_tokens{};
    VIRNUCPRO_FIELDS(shard, directory, started, sessions, seconds, host, gpus, sequences,
                     esm_tokens, esm_tokens_per_second);
  };

  struct Verdict {
    Text id{}, name{}, status{}, unit{}, bar{}, detail{};
    Number value{};
    VIRNUCPRO_FIELDS(id, name, status, value, unit, bar, detail);
  };
  struct Bottleneck {
    Text stage{}, cause{}, advice{};
    Number share{};
    VIRNUCPRO_FIELDS(stage, share, cause, advice);
  };

  Text schema{};
  Run run{};
  Program program{};
  Machine machine{};
  Settings settings{};
  Models models{};
  Workload workload{};
  CloseCalls close_calls{};
  Shadow shadow{};
  Throughput throughput{};
  Packing packing{};
  Waits waits{};
  std::vector<Stage> stages{};
  std::vector<Worker> workers{};
  std::vector<Device> devices{};
  Host host{};
  Monitor monitor{};
  std::vector<Verdict> verdicts{};
  std::vector<Bottleneck> bottlenecks{};
  std::optional<std::vector<ShardPart>> shards{};  // only in a merged run's file
  VIRNUCPRO_FIELDS(schema, run, program, machine, settings, models, workload, close_calls, shadow,
                   throughput, packing, waits, stages, workers, devices, host, monitor, verdicts,
                   bottlenecks, shards);
};

using DeviceStatistic = Statistic GpuGauges<Statistic>::*;

// Returns the statistic's average over all samples of the wanted phases; empty without samples.
std::optional<double> average_of(const std::vector<RunTelemetry::DevicePhase>& phases,
                                 DeviceStatistic statistic, bool (*is_wanted)(Phase));
// Returns the statistic's average while embedding, by device; leaves out devices without samples.
std::vector<double> embedding_averages(const RunTelemetry& telemetry, DeviceStatistic statistic);
// Returns the least busy GPU's percentage while embedding, among the GPUs that report it.
std::optional<double> least_utilization(const RunTelemetry& telemetry);
// Returns (most - least) / most, from the busy seconds of the busiest and the least busy worker.
// Empty for fewer than two workers, and if no worker computed.
std::optional<double> imbalance_of(const std::vector<RunTelemetry::Worker>& workers);

// Returns the file's text with v2's `summary` and, unless `batches` is empty, `per_batch_metrics`.
std::string telemetry_json(const RunTelemetry& telemetry, const std::vector<Json>& batches = {});
Json verdicts_json(const std::vector<RunTelemetry::Verdict>& verdicts);

// Reads the file's text. A member stays empty if its value has another type or exceeds the limits
// of base/json.hpp. Only the first elements of a long array are read. Returns nothing if the
// JSON has no value at all. Errors: kJson, naming `file`.
std::optional<RunTelemetry> parse_run_telemetry(std::string_view text, const std::string& file);
std::optional<RunTelemetry> read_run_telemetry(const std::filesystem::path& file);

}  // namespace virnucpro
