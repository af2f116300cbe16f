#include "telemetry/verdicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

// A run that meets everything.
RunMeasurements good_run() {
  return {.computing_seconds = 100,
          .sequences = 50'000,
          .one_chunk_sequences = 45'000,
          .scored_chunks = 60'000,
          .gpus = 2,
          .esm_tokens_per_second = 180'000,
          .is_esm2_3b = true,
          .packing = 99,
          .batches = 1000,
          .starved_batches = 3,
          .imbalance = 2,
          .samples = 100,
          .written = 100,
          .measured = {{.id = "cuda:0", .rows = 100, .nvml_rows = 100, .utilization = 100},
                       {.id = "cuda:1", .rows = 99, .nvml_rows = 99, .utilization = 99}}};
}

Verdict verdict_of(const RunMeasurements& run, std::string_view name,
                   const Thresholds& thresholds = {}) {
  for (Verdict& verdict : judge(run, thresholds)) {
    if (verdict.name.find(name) != std::string_view::npos) return std::move(verdict);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(Verdicts, PassWhatMeetsThem) {
  for (const Verdict& verdict : judge(good_run(), {})) {
    const bool scaling = verdict.id == "PERF-03";
    EXPECT_EQ(verdict.status, scaling ? VerdictStatus::kSkipped : VerdictStatus::kPass)
        << verdict_line(verdict);
    EXPECT_EQ(verdict.value.has_value(), !scaling);
  }
}

struct Bar {
  const char* name;
  void (*set)(RunMeasurements& run, double value);
  double pass;
  double warn;
  double miss;
};

class VerdictBars : public testing::TestWithParam<Bar> {};

TEST_P(VerdictBars, AreWhereTheRequirementsPutThem) {
  const Bar& bar = GetParam();
  const auto status = [&bar](double value) {
    RunMeasurements run = good_run();
    bar.set(run, value);
    return verdict_of(run, bar.name).status;
  };
  EXPECT_EQ(status(bar.pass), VerdictStatus::kPass);
  EXPECT_EQ(status(bar.miss), VerdictStatus::kMiss);
  EXPECT_EQ(status(bar.warn), VerdictStatus::kWarn);
}

void set_hours(RunMeasurements& run, double hours) {
  run.scored_chunks = 6'000'000;
  run.computing_seconds = hours * 3600;
}

INSTANTIATE_TEST_SUITE_P(
    All, VerdictBars,
    testing::Values(
        Bar{"projected", set_hours, 8.99, 9, 11},
        Bar{"utilisation",
            [](RunMeasurements& run, double value) { run.measured[1].utilization = value; }, 80,
            79.9, 69.9},
        Bar{"packing", [](RunMeasurements& run, double value) { run.packing = value; }, 90, 80,
            79.9},
        Bar{"waited for",
            [](RunMeasurements& run, double value) {
              run.starved_batches = static_cast<std::uint64_t>(10 * value);
            },
            9.9, 10, 20},
        Bar{"throughput",
            [](RunMeasurements& run, double value) {
              run.esm_tokens_per_second = 2 * value;  // of two GPUs
            },
            16500, 16499, 13199},
        Bar{"imbalance", [](RunMeasurements& run, double value) { run.imbalance = value; }, 10,
            10.1, 25.1},
        Bar{"log",
            [](RunMeasurements& run, double value) {
              run.measured[1].rows = static_cast<std::uint64_t>(value);
              run.measured[1].nvml_rows = value > 1 ? 1 : 0;
            },
            2, 1, 0}));

// A run of contigs is not slow because they are long.
TEST(Verdicts, ProjectReadsFromReadsAlone) {
  RunMeasurements run = good_run();
  set_hours(run, 28.7);
  run.one_chunk_sequences = 44'999;
  const Verdict verdict = verdict_of(run, "projected");
  EXPECT_EQ(verdict.status, VerdictStatus::kSkipped);
  EXPECT_THAT(verdict.detail,
              HasSubstr("89 % of these sequences have one chunk; at least 90 % must have one"));
  run.one_chunk_sequences = 45'000;
  EXPECT_THAT(verdict_line(verdict_of(run, "projected")),
              HasSubstr("28.7 hours for 6,000,000 reads of one chunk each, wanted < 9"));
}

TEST(Verdicts, SayWhereTheSpeedUpIsJudged) {
  EXPECT_THAT(verdict_of(good_run(), "speed-up").detail, HasSubstr("benchmark --suite scaling"));
}

TEST(Verdicts, SkipWhatAShortRunCannotTell) {
  RunMeasurements run = good_run();
  run.computing_seconds = 29;
  run.packing = 1;
  run.measured[0].utilization = 1;
  for (const Verdict& verdict : judge(run, {})) {
    if (verdict.id == "MON-01") continue;
    EXPECT_EQ(verdict.status, VerdictStatus::kSkipped) << verdict_line(verdict);
    EXPECT_FALSE(verdict.detail.empty());
  }
  EXPECT_EQ(verdict_of(run, "packing", {.shortest_run = 10}).status, VerdictStatus::kMiss);
}

TEST(Verdicts, SkipWhatWasNotMeasured) {
  RunMeasurements run = good_run();
  run.gpus = 0;
  for (const char* name : {"projected", "utilisation"}) {
    EXPECT_THAT(verdict_of(run, name).detail, HasSubstr("no GPU was used"));
  }
  run.gpus = 2;
  EXPECT_THAT(verdict_of(run, "speed-up").detail, HasSubstr("one run cannot show a speed-up"));
  run.batches = 0;
  run.scored_chunks = 0;
  for (const char* name : {"projected", "packing", "waited for"}) {
    EXPECT_EQ(verdict_of(run, name).status, VerdictStatus::kSkipped) << name;
  }
}

// The GPU that is not known may be the one that was idle.
TEST(Verdicts, JudgeUtilizationOnlyWhereEachGpuToldIt) {
  RunMeasurements run = good_run();
  run.measured[1].utilization.reset();
  const Verdict one = verdict_of(run, "utilisation");
  EXPECT_EQ(one.status, VerdictStatus::kSkipped);
  EXPECT_FALSE(one.value);
  EXPECT_EQ(one.detail, "the utilisation of cuda:1 was not measured");
  run.measured[0].utilization.reset();
  EXPECT_EQ(verdict_of(run, "utilisation").detail,
            "the utilisation of cuda:0, cuda:1 was not measured");
  run = good_run();
  run.measured.pop_back();
  EXPECT_EQ(verdict_of(run, "utilisation").status, VerdictStatus::kSkipped);
  EXPECT_EQ(verdict_of(run, "utilisation").detail, "at least one GPU was not measured");
  run.measured.clear();
  EXPECT_EQ(verdict_of(run, "utilisation").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, HaveATargetForEsm2Of3BOnGpusOnly) {
  RunMeasurements run = good_run();
  run.is_esm2_3b = false;
  EXPECT_THAT(verdict_of(run, "throughput").detail, HasSubstr("of other sizes have other rates"));
  EXPECT_EQ(verdict_of(run, "throughput").status, VerdictStatus::kSkipped);
  run = good_run();
  run.gpus = 0;
  EXPECT_THAT(verdict_of(run, "throughput").detail, HasSubstr("no GPU was used"));
}

TEST(Verdicts, SeeNoImbalanceOfOneGpu) {
  RunMeasurements run = good_run();
  run.gpus = 1;
  run.imbalance = 99;
  EXPECT_EQ(verdict_of(run, "imbalance").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, SeeNoBalanceWhereNoWorkerComputed) {
  RunMeasurements run = good_run();
  run.imbalance.reset();
  EXPECT_EQ(verdict_of(run, "imbalance").status, VerdictStatus::kSkipped);
  EXPECT_EQ(verdict_of(run, "imbalance").detail,
            "no worker computed, or a worker's time is unknown");
  run.imbalance = 0;
  EXPECT_EQ(verdict_of(run, "imbalance").status, VerdictStatus::kPass);
}

TEST(Verdicts, CountTheRowsOfTheGpuWithTheFewest) {
  EXPECT_EQ(verdict_of(good_run(), "log").value, 99);
  RunMeasurements run = good_run();
  run.measured.pop_back();
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kMiss);
  EXPECT_EQ(verdict_of(run, "log").value, 0);
  run.gpus = 0;
  run.measured.clear();
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kPass);
  EXPECT_EQ(verdict_of(run, "log").value, 100);  // of the host
}

TEST(Verdicts, SayWhyNvmlGaveNothing) {
  RunMeasurements run = good_run();
  run.measured[0].nvml_rows = 0;
  run.measured[0].failure = "libnvidia-ml.so.1: cannot open";
  const Verdict without = verdict_of(run, "log");
  EXPECT_EQ(without.status, VerdictStatus::kWarn);
  EXPECT_EQ(without.detail,
            "cuda:0 has only memory values, from the CUDA runtime; NVML gave no values: "
            "libnvidia-ml.so.1: "
            "cannot open");
  run.measured[0].rows = 0;
  const Verdict none = verdict_of(run, "log");
  EXPECT_EQ(none.status, VerdictStatus::kMiss);
  EXPECT_EQ(none.detail, "cuda:0 has no rows; NVML gave no values: libnvidia-ml.so.1: cannot open");
}

TEST(Verdicts, MissTheLogThatCouldNotBeWritten) {
  RunMeasurements run = good_run();
  run.written = 3;
  run.monitor_failure = "97 of 100 measurements are not in the log: No space left on device";
  for (const std::size_t gpus : {2U, 0U}) {
    run.gpus = gpus;
    const Verdict verdict = verdict_of(run, "log");
    EXPECT_EQ(verdict.status, VerdictStatus::kMiss);
    EXPECT_EQ(verdict.value, 3);
    EXPECT_EQ(verdict.detail, run.monitor_failure);
  }
  run = good_run();
  run.written = 0;
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kMiss);
  run.samples = 0;
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, EndAStrictRunByTheFirstThatIsMissed) {
  RunMeasurements run = good_run();
  EXPECT_NO_THROW(require_all_met(judge(run, {})));
  run.packing = 62.14;
  EXPECT_THAT(reason_of(ErrorKind::kRequirementMissed, [&] { require_all_met(judge(run, {})); }),
              HasSubstr("PERF-05 packing: 62.1 %, wanted >= 90; a warning from 80 on"));
}

}  // namespace
}  // namespace virnucpro
