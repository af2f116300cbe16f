#include "telemetry/telemetry_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "telemetry/batch_line.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

// Three batches of two workers, in numbers that a line's six digits keep.
std::vector<BatchMetrics> some_batches() {
  BatchMetrics batch{.time = 2.5,
                     .frames = 195,
                     .esm_tokens = 30000,
                     .dna_tokens = 21000,
                     .budget_tokens = 32768,
                     .queue_state = QueueState::kFull,
                     .times = {0.25, 0.5, 2, 0.125, 0.0625, 0.03125}};
  std::vector<BatchMetrics> batches{batch};
  batch.worker = 2;
  batch.time = 3.5;
  batch.queue_state = QueueState::kStarved;
  batches.push_back(batch);
  batch.time = 7.25;
  batch.times.waiting = 1.5;
  batches.push_back(batch);
  return batches;
}

BatchFacts read_again(const std::vector<BatchMetrics>& batches) {
  const TempDir directory;
  std::string lines;
  for (const BatchMetrics& batch : batches) lines += write_batch_line(batch, 0.25);
  write_text(directory / "t.jsonl", lines);
  return read_batches(directory / "t.jsonl");
}

template <typename Record>
std::string text_of(const Record& record) {
  RunTelemetry telemetry;
  for_each_field(telemetry, [&record](std::string_view /*name*/, auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, Record>) member = record;
  });
  return telemetry_json(telemetry);
}

// Everything that telemetry_of() needs of a run.
struct SomeRun {
  SomeRun() { start.directory.emplace(directory.path()); }

  RunTelemetry telemetry() { return telemetry_of(measured); }

  ProgramFacts program;
  PredictSettings settings;
  RunCounters counters;
  TempDir directory;
  RunStart start;
  Measured measured{.program = program,
                    .settings = settings,
                    .counters = counters,
                    .start = start,
                    .started = {}};
};

TEST(KilledRun, HasTheFiguresThatTheRunWouldHaveWritten) {
  const std::vector<BatchMetrics> batches = some_batches();
  SomeRun run;
  for (const BatchMetrics& batch : batches) run.measured.pipeline.add(batch);
  RunTelemetry written = run.telemetry();
  const RunTelemetry rebuilt = telemetry_of_killed_run(read_again(batches), {});

  EXPECT_EQ(rebuilt.run.seconds, 7.25);
  written.throughput.sequences_per_second.reset();  // lines do not show where a sequence ends
  EXPECT_EQ(text_of(rebuilt.throughput), text_of(written.throughput));
  EXPECT_EQ(text_of(rebuilt.packing), text_of(written.packing));
  EXPECT_EQ(text_of(rebuilt.waits), text_of(written.waits));
  EXPECT_EQ(rebuilt.workload.batches, written.workload.batches);
  EXPECT_EQ(rebuilt.workload.esm_tokens, written.workload.esm_tokens);

  std::vector<std::string> stages;
  for (const RunTelemetry::Stage& stage : rebuilt.stages) stages.push_back(stage.name.value_or(""));
  EXPECT_THAT(stages,
              ElementsAre("waiting", "esm2", "dnabert_s", "classifier", "to_host", "journal"));
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    EXPECT_EQ(rebuilt.stages[i].seconds, written.stages[i].seconds);
    EXPECT_EQ(rebuilt.stages[i].share, written.stages[i].share);
  }
  EXPECT_EQ(rebuilt.stages.back().share, 0.75 / 7.25);

  ASSERT_EQ(rebuilt.workers.size(), 2U);  // those that computed
  EXPECT_EQ(rebuilt.workers[1].name, "worker 2");
  EXPECT_EQ(rebuilt.workers[1].busy_seconds, written.workers[2].busy_seconds);
  EXPECT_EQ(rebuilt.workers[1].busy_share, written.workers[2].busy_share);
}

const RunTelemetry::Stage& stage_of(const RunTelemetry& telemetry, std::string_view name) {
  return *std::ranges::find_if(telemetry.stages,
                               [name](const auto& stage) { return stage.name == name; });
}

TEST(Summary, HasTheModelsOwnRatesAndUtilisation) {
  SomeRun run;
  run.measured.pipeline.add(
      {.esm_tokens = 900, .dna_tokens = 80, .times = {.esm2 = 3, .dnabert_s = 2}});
  run.measured.monitor.devices.resize(2);
  const auto add = [&](std::size_t device, Phase phase, double percent) {
    GpuReading reading;
    reading.utilization_percent = percent;
    run.measured.monitor.devices[device].add(phase, reading);
  };
  add(0, Phase::kEsm2, 100);
  add(0, Phase::kEsm2, 98);
  add(1, Phase::kEsm2, 90);
  add(1, Phase::kDnabertS, 60);
  add(1, Phase::kEmbedding, 30);
  const RunTelemetry telemetry = run.telemetry();
  EXPECT_EQ(stage_of(telemetry, "esm2").tokens_per_second, 300);
  EXPECT_EQ(stage_of(telemetry, "esm2").utilization_percent, 96);
  EXPECT_EQ(stage_of(telemetry, "dnabert_s").tokens_per_second, 40);
  EXPECT_EQ(stage_of(telemetry, "dnabert_s").utilization_percent, 60);
  EXPECT_FALSE(stage_of(telemetry, "waiting").utilization_percent);
  EXPECT_FALSE(stage_of(telemetry, "read").tokens_per_second);
  EXPECT_EQ(least_utilization(telemetry), 60);  // of the second GPU, all phases of embedding
}

TEST(Summary, HasMemoryOfWorkersAndPlansOfBudgets) {
  SomeRun run;
  run.settings.compute.gpus = {{.index = 3}};
  run.start.workers = {{.plan = {.tokens = 512, .wanted = 512}, .esm2_layers = 36}};
  run.start.esm2_width = 2560;
  run.measured.pipeline.add({.memory = WorkerMemory{.reserved = 9, .used = 4, .peak = 6}});
  const RunTelemetry telemetry = run.telemetry();
  EXPECT_EQ(telemetry.workers.at(0).memory_reserved_bytes, 9U);
  EXPECT_EQ(telemetry.workers.at(0).memory_used_bytes, 4U);
  EXPECT_EQ(telemetry.workers.at(0).memory_peak_bytes, 6U);
  EXPECT_EQ(telemetry.settings.token_budget_asked, "auto");
  ASSERT_EQ(telemetry.settings.token_budget_plans.size(), 1U);
  EXPECT_TRUE(telemetry.settings.token_budget_plans[0].starts_with("cuda:3: batches of 512"));
  EXPECT_EQ(telemetry.models.esm2_layers, 36U);
  EXPECT_EQ(telemetry.models.esm2_width, 2560U);
}

TEST(Summary, SaysWhatIsKnownOfEachGpu) {
  SomeRun run;
  run.settings.compute.gpus = {{.index = 0}, {.index = 1}};
  run.measured.monitor.devices.push_back({.id = "cuda:0",
                                          .failure = "GPU is lost",
                                          .description = {},
                                          .memory_total = {},
                                          .rows = 5,
                                          .nvml_rows = 2,
                                          .phases = {}});
  run.measured.monitor.devices.push_back(run.measured.monitor.devices[0]);
  GpuReading reading;
  reading.utilization_percent = 90;
  run.measured.monitor.devices[1].add(Phase::kEsm2, reading);
  const RunTelemetry telemetry = run.telemetry();
  ASSERT_EQ(telemetry.devices.size(), 2U);
  EXPECT_EQ(telemetry.devices[0].id, "cuda:0");
  EXPECT_EQ(telemetry.devices[0].rows, 5U);
  EXPECT_EQ(telemetry.devices[0].nvml_rows, 2U);
  EXPECT_EQ(telemetry.machine.devices.at(0).failure, "GPU is lost");
  EXPECT_THAT(embedding_averages(telemetry, &RunTelemetry::DevicePhase::utilization_percent),
              ElementsAre(90));
}

TEST(Summary, SaysWhatTheLogLacks) {
  SomeRun run;
  run.measured.monitor.samples = 9;
  run.measured.monitor.written = 9;
  EXPECT_EQ(run.telemetry().monitor.failure, "");
  run.measured.monitor.written = 2;
  run.measured.monitor.file_failure = "No space left on device";
  const auto read = parse_run_telemetry(telemetry_json(run.telemetry()), "t.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->monitor.samples, 9U);
  EXPECT_EQ(read->monitor.written, 2U);
  EXPECT_EQ(read->monitor.failure,
            "7 of 9 measurements are not in the log: No space left on device");
}

TEST(KilledRun, HasNoFiguresWithoutABatch) {
  const RunTelemetry telemetry = telemetry_of_killed_run({}, {});
  EXPECT_FALSE(telemetry.run.seconds || telemetry.workload.batches || telemetry.waits.max_seconds);
  EXPECT_TRUE(telemetry.stages.empty() && telemetry.workers.empty());
}

TEST(KilledRun, HasWhatTheMonitorLogged) {
  MetricFacts metrics;
  MonitorSummary& summary = metrics.summary;
  summary.devices.resize(2);
  summary.devices[0].id = "cuda:0";
  GpuReading reading;
  reading.power_w = 300;
  reading.throttle_reasons = 12;
  summary.devices[0].add(Phase::kEmbedding, reading);
  reading.power_w = 500;
  reading.ecc_errors = 3;
  summary.devices[0].add(Phase::kEmbedding, reading);
  summary.host.of(Phase::kStart).cpu_percent.add(160);
  summary.host.of(Phase::kStart).rss_bytes.add(4096);
  summary.host.usage.read_bytes = 77;
  const RunTelemetry telemetry = telemetry_of_killed_run({}, metrics);
  ASSERT_EQ(telemetry.devices.size(), 2U);
  EXPECT_EQ(telemetry.devices[0].throttle_reasons, "sw_power_cap|hw_slowdown");
  EXPECT_EQ(telemetry.devices[0].ecc_errors.maximum, 3);
  EXPECT_EQ(telemetry.devices[1].throttle_reasons, "none");
  const RunTelemetry::DevicePhase& phase = telemetry.devices[0].phases.at(1);
  EXPECT_EQ(phase.phase, "embedding");
  EXPECT_EQ(phase.power_w.average, 400);
  EXPECT_EQ(phase.power_w.samples, 2U);
  EXPECT_FALSE(phase.temperature_c.average);
  EXPECT_EQ(telemetry.host.phases.at(0).cpu_percent.maximum, 160);
  EXPECT_EQ(telemetry.host.peak_rss_bytes, 4096U);
  EXPECT_EQ(telemetry.host.read_bytes, 77U);
}

}  // namespace
}  // namespace virnucpro
