#include "telemetry/verdicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

// A run that meets everything.
RunMeasurements good_run() {
  return {.computing_seconds = 100,
          .sequences = 60'000,
          .utilization = 99,
          .gpus = 1,
          .packing = 99,
          .batches = 1000,
          .starved_batches = 3,
          .samples = 100};
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
  double warn;  // equals `miss` if there is no warning
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
  if (bar.warn != bar.miss) {
    EXPECT_EQ(status(bar.warn), VerdictStatus::kWarn);
  }
}

void set_hours(RunMeasurements& run, double hours) {
  run.sequences = 6'000'000;
  run.computing_seconds = hours * 3600;
}

INSTANTIATE_TEST_SUITE_P(
    All, VerdictBars,
    testing::Values(Bar{"projected", set_hours, 8.99, 9, 11},
                    Bar{"utilisation",
                        [](RunMeasurements& run, double value) { run.utilization = value; }, 80,
                        79.9, 69.9},
                    Bar{"packing", [](RunMeasurements& run, double value) { run.packing = value; },
                        90, 89.9, 89.9},
                    Bar{"waited for",
                        [](RunMeasurements& run, double value) {
                          run.starved_batches = static_cast<std::uint64_t>(10 * value);
                        },
                        9.9, 10, 20}));

TEST(Verdicts, SkipWhatAShortRunCannotTell) {
  RunMeasurements run = good_run();
  run.computing_seconds = 29;
  run.packing = 1;
  run.utilization = 1;
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
  EXPECT_THAT(verdict_of(run, "utilisation").detail, HasSubstr("no GPU was used"));
  run.gpus = 2;
  run.utilization.reset();
  EXPECT_EQ(verdict_of(run, "utilisation").status, VerdictStatus::kSkipped);
  EXPECT_THAT(verdict_of(run, "speed-up").detail, HasSubstr("one run does not show it"));
  run.batches = 0;
  run.sequences = 0;
  for (const char* name : {"projected", "packing", "waited for"}) {
    EXPECT_EQ(verdict_of(run, name).status, VerdictStatus::kSkipped) << name;
  }
}

TEST(Verdicts, MissTheLogThatCouldNotBeWritten) {
  RunMeasurements run = good_run();
  run.monitor_failure = "No space left on device";
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kMiss);
  run = good_run();
  run.samples = 0;
  EXPECT_EQ(verdict_of(run, "log").status, VerdictStatus::kSkipped);
}

TEST(Verdicts, EndAStrictRunByTheFirstThatIsMissed) {
  RunMeasurements run = good_run();
  EXPECT_NO_THROW(require_all_met(judge(run, {})));
  run.packing = 62.14;
  try {
    require_all_met(judge(run, {}));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kRequirementMissed);
    EXPECT_THAT(error.what(), HasSubstr("PERF-05 packing: 62.1 %, wanted >= 90"));
  }
}

}  // namespace
}  // namespace virnucpro
