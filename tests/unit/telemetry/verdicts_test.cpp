#include "telemetry/verdicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

struct MadeUpRun {
  RunTelemetry telemetry;
  double computing_seconds = 100;

  void use_gpus(std::size_t gpus) { telemetry.settings.gpus.resize(gpus); }
  void set_imbalance(double percent) {
    telemetry.workers = {{.busy_seconds = 100.0}, {.busy_seconds = 100 - percent}};
  }
  void set_utilization(std::size_t gpu, double percent) {
    telemetry.devices.at(gpu).phases.at(0).utilization_percent = {.average = percent, .samples = 1};
  }
  void forget_utilization(std::size_t gpu) { telemetry.devices.at(gpu).phases.clear(); }
  std::vector<Verdict> judged(const Thresholds& thresholds = {}) const {
    return judge(telemetry, computing_seconds, thresholds);
  }
};

// A run that meets everything.
MadeUpRun good_run() {
  MadeUpRun run;
  run.use_gpus(2);
  run.telemetry.models = {.esm2_layers = 36, .esm2_width = 2560};
  run.telemetry.workload = {.sequences = 50'000,
                            .one_chunk_sequences = 45'000,
                            .chunks_with_frames = 60'000,
                            .batches = 1000};
  run.telemetry.throughput.esm_tokens_per_second = 180'000;
  run.telemetry.packing.efficiency = 0.99;
  run.telemetry.waits.queue.starved = 3;
  run.set_imbalance(2);
  run.telemetry.monitor = {.samples = 100, .written = 100};
  for (const char* id : {"cuda:0", "cuda:1"}) {
    run.telemetry.machine.devices.push_back({.id = id});
    run.telemetry.devices.push_back({.id = id, .rows = 100, .nvml_rows = 100});
    run.telemetry.devices.back().phases.push_back({{}, "esm2"});
  }
  run.telemetry.devices[1].rows = 99;
  run.set_utilization(0, 100);
  run.set_utilization(1, 99);
  return run;
}

Verdict verdict_of(const MadeUpRun& run, std::string_view name, const Thresholds& thresholds = {}) {
  for (Verdict& verdict : run.judged(thresholds)) {
    if (verdict.name.find(name) != std::string_view::npos) return std::move(verdict);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(Verdicts, PassWhatMeetsThem) {
  for (const Verdict& verdict : good_run().judged()) {
    const bool scaling = verdict.id == "PERF-03";
    EXPECT_EQ(verdict.status, scaling ? VerdictStatus::kSkipped : VerdictStatus::kPass)
        << verdict_line(verdict);
    EXPECT_EQ(verdict.value.has_value(), !scaling);
  }
}

struct Bar {
  const char* name;
  void (*set)(MadeUpRun& run, double value);
  double pass;
  double warn;
  double miss;
};

class VerdictBars : public testing::TestWithParam<Bar> {};

TEST_P(VerdictBars, AreWhereTheRequirementsPutThem) {
  const Bar& bar = GetParam();
  const auto status = [&bar](double value) {
    MadeUpRun run = good_run();
    bar.set(run, value);
    return verdict_of(run, bar.name).status;
  };
  EXPECT_EQ(status(bar.pass), VerdictStatus::kPass);
  EXPECT_EQ(status(bar.miss), VerdictStatus::kMiss);
  EXPECT_EQ(status(bar.warn), VerdictStatus::kWarn);
}

void set_hours(MadeUpRun& run, double hours) {
  run.telemetry.workload.chunks_with_frames = 6'000'000;
  run.computing_seconds = hours * 3600;
}

INSTANTIATE_TEST_SUITE_P(
    All, VerdictBars,
    testing::Values(
        Bar{"projected", set_hours, 8.99, 9, 11},
        Bar{"utilisation", [](MadeUpRun& run, double value) { run.set_utilization(1, value); }, 80,
            79.9, 69.9},
        Bar{"packing",
            [](MadeUpRun& run, double value) { run.telemetry.packing.efficiency = value / 100; },
            90, 80, 79.9},
        Bar{"waited for",
            [](MadeUpRun& run, double value) {
              run.telemetry.waits.queue.starved = static_cast<std::uint64_t>(10 * value);
            },
            9.9, 10, 20},
        Bar{"throughput",
            [](MadeUpRun& run, double value) {
              run.telemetry.throughput.esm_tokens_per_second = 2 * value;  // of two GPUs
            },
            16500, 16499, 13199},
        Bar{"imbalance", [](MadeUpRun& run, double value) { run.set_imbalance(value); }, 10, 10.1,
            25.1},
        Bar{"log",
            [](MadeUpRun& run, double value) {
              run.telemetry.devices[1].rows = static_cast<std::uint64_t>(value);
              run.telemetry.devices[1].nvml_rows = value > 1 ? 1 : 0;
            },
            2, 1, 0}));

// A run of contigs is not slow because they are long.
TEST(Verdicts, ProjectReadsFromReadsAlone) {
  MadeUpRun run = good_run();
  set_hours(run, 28.7);
  run.telemetry.workload.one_chunk_sequences = 44'999;
  const Verdict verdict = verdict_of(run, "projected");
  EXPECT_EQ(verdict.status, VerdictStatus::kSkipped);
  EXPECT_THAT(verdict.detail,
              HasSubstr("89 % of these sequences have one chunk, and at least 90 % must have one"));
  run.telemetry.workload.one_chunk_sequences = 45'000;
  EXPECT_THAT(verdict_line(verdict_of(run, "projected")),
              HasSubstr("28.7 hours for 6,000,000 reads of one chunk each, wanted < 9"));
}

TEST(Verdicts, SayWhereTheSpeedUpIsJudged) {
  EXPECT_THAT(verdict_of(good_run(), "speed-up").detail, HasSubstr("benchmark --suite scaling"));
}

TEST(Verdicts, SkipWhatAShortRunCannotTell) {
  MadeUpRun run = good_run();
  run.computing_seconds = 29;
  run.telemetry.packing.efficiency = 0.01;
  run.set_utilization(0, 1);
  for (const Verdict& verdict : run.judged()) {
    if (verdict.id == "MON-01") continue;
    EXPECT_EQ(verdict.status, VerdictStatus::kSkipped) << verdict_line(verdict);
    EXPECT_FALSE(verdict.detail.empty());
  }
  EXPECT_EQ(verdict_of(run, "packing", {.shortest_run = 10}).status, VerdictStatus::kMiss);
}

TEST(Verdicts, SkipWhatWasNotMeasured) {
  MadeUpRun run = good_run();
  run.use_gpus(0);
  for (const char* name : {"projected", "utilisation"}) {
    EXPECT_THAT(verdict_of(run, name).detail, HasSubstr("no GPU was used"));
  }
  run.use_gpus(2);
  EXPECT_THAT(verdict_of(run, "speed-up").detail, HasSubstr("one run cannot show a speed-up"));
  run.telemetry.workload.batches = 0;
  run.telemetry.workload.chunks_with_frames = 0;
  for (const char* name : {"projected", "packing", "waited for"}) {
    EXPECT_EQ(verdict_of(run, name).status, VerdictStatus::kSkipped) << name;
  }
}

// The GPU that is not known may be the one that was idle.
TEST(Verdicts, JudgeUtilizationOnlyWhereEachGpuToldIt) {
  MadeUpRun run = good_run();
  run.forget_utilization(1);
  const Verdict one = verdict_of(run, "utilisation");
  EXPECT_EQ(one.status, VerdictStatus::kSkipped);
  EXPECT_FALSE(one.value);
  EXPECT_EQ(one.detail, "the utilisation of cuda:1 was not measured");
  run.forget_utilization(0);
  EXPECT_EQ(verdict_of(run, "utilisation").detail,
            "the utilisation of cuda:0, cuda:1 was not measured");
  run = good_run();
  run.telemetry.devices.pop_back();
  EXPECT_EQ(verdict_of(run, "utilisation").status, VerdictStatus::kSkipped);
  EXPECT_EQ(verdict_of(run, "utilisation").detail, "at least one GPU was not measured");
  run.telemetry.devices.clear();
  EXPECT_EQ(verdict_of(run, "utilisation").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, HaveATargetForEsm2Of3BOnGpusOnly) {
  MadeUpRun run = good_run();
  run.telemetry.models.esm2_layers = 33;
  EXPECT_THAT(verdict_of(run, "throughput").detail, HasSubstr("of other sizes have other rates"));
  EXPECT_EQ(verdict_of(run, "throughput").status, VerdictStatus::kSkipped);
  run = good_run();
  run.use_gpus(0);
  EXPECT_THAT(verdict_of(run, "throughput").detail, HasSubstr("no GPU was used"));
}

TEST(Verdicts, SeeNoImbalanceOfOneGpu) {
  MadeUpRun run = good_run();
  run.use_gpus(1);
  run.set_imbalance(99);
  EXPECT_EQ(verdict_of(run, "imbalance").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, SeeNoBalanceWhereNoWorkerComputed) {
  MadeUpRun run = good_run();
  run.telemetry.workers = {{.busy_seconds = 0.0}, {.busy_seconds = 0.0}};
  EXPECT_EQ(verdict_of(run, "imbalance").status, VerdictStatus::kSkipped);
  EXPECT_EQ(verdict_of(run, "imbalance").detail,
            "no worker computed, or a worker's time is unknown");
  run.set_imbalance(0);
  EXPECT_EQ(verdict_of(run, "imbalance").status, VerdictStatus::kPass);
  run.telemetry.workers.pop_back();
  EXPECT_EQ(verdict_of(run, "imbalance").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, CountTheRowsOfTheGpuWithTheFewest) {
  EXPECT_EQ(verdict_of(good_run(), "log").value, 99);
  MadeUpRun run = good_run();
  run.telemetry.devices.pop_back();
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kMiss);
  EXPECT_EQ(verdict_of(run, "log").value, 0);
  run.use_gpus(0);
  run.telemetry.devices.clear();
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kPass);
  EXPECT_EQ(verdict_of(run, "log").value, 100);  // of the host
}

TEST(Verdicts, SayWhyNvmlGaveNothing) {
  MadeUpRun run = good_run();
  run.telemetry.devices[0].nvml_rows = 0;
  run.telemetry.machine.devices[0].failure = "libnvidia-ml.so.1: cannot open";
  const Verdict without = verdict_of(run, "log");
  EXPECT_EQ(without.status, VerdictStatus::kWarn);
  EXPECT_EQ(without.detail,
            "only the memory of cuda:0 was measured, by the CUDA runtime; NVIDIA's library NVML "
            "gave no values: libnvidia-ml.so.1: cannot open");
  run.telemetry.devices[0].rows = 0;
  const Verdict none = verdict_of(run, "log");
  EXPECT_EQ(none.status, VerdictStatus::kMiss);
  EXPECT_EQ(none.detail,
            "the log of measurements has no rows for cuda:0; NVIDIA's library NVML gave no values: "
            "libnvidia-ml.so.1: cannot open");
}

TEST(Verdicts, MissTheLogThatCouldNotBeWritten) {
  MadeUpRun run = good_run();
  run.telemetry.monitor.written = 3;
  run.telemetry.monitor.failure =
      "97 of 100 measurements are not in the log: No space left on device";
  for (const std::size_t gpus : {2U, 0U}) {
    run.use_gpus(gpus);
    const Verdict verdict = verdict_of(run, "log");
    EXPECT_EQ(verdict.status, VerdictStatus::kMiss);
    EXPECT_EQ(verdict.value, 3);
    EXPECT_EQ(verdict.detail, run.telemetry.monitor.failure);
  }
  run = good_run();
  run.telemetry.monitor.written = 0;
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kMiss);
  run.telemetry.monitor.samples = 0;
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, EndAStrictRunByTheFirstThatIsMissed) {
  MadeUpRun run = good_run();
  EXPECT_NO_THROW(require_all_met(run.judged()));
  run.telemetry.packing.efficiency = 0.6214;
  EXPECT_THAT(reason_of(ErrorKind::kRequirementMissed, [&] { require_all_met(run.judged()); }),
              HasSubstr("PERF-05 packing: 62.1 %, wanted >= 90; only a warning from 80 on"));
}

}  // namespace
}  // namespace virnucpro
