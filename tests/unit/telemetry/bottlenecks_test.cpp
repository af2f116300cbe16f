#include "telemetry/bottlenecks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Shares {
  double waiting = 0;
  double esm2 = 0;
  double dnabert_s = 0;
  double read = 0;
  double translate = 0;
  double tables = 0;
};

std::vector<RunTelemetry::Bottleneck> found(const Shares& shares, const StageSurroundings& around) {
  const std::string device = "device";
  const std::string host = "host";
  return find_bottlenecks({{"waiting", device, shares.waiting, shares.waiting},
                           {"esm2", device, shares.esm2, shares.esm2},
                           {"dnabert_s", device, shares.dnabert_s, shares.dnabert_s},
                           {"read", host, shares.read, shares.read},
                           {"translate", host, shares.translate, shares.translate},
                           {"tables", host, shares.tables, shares.tables}},
                          around);
}

std::string cause(const Shares& shares, const StageSurroundings& around) {
  const auto all = found(shares, around);
  return all.empty() ? "none" : all.front().cause.value_or("");
}

TEST(Bottlenecks, AreOfTheModelsOnABusyDevice) {
  const Shares shares{.waiting = 0.01, .esm2 = 0.95, .dnabert_s = 0.04};
  EXPECT_EQ(cause(shares, {.utilization = 99, .on_gpu = true}), "compute-bound");
  EXPECT_EQ(cause(shares, {.utilization = 99, .power_capped = true, .on_gpu = true}),
            "power-capped");
  EXPECT_EQ(cause(shares, {.utilization = 60, .power_capped = true, .on_gpu = true}),
            "launch-bound");
  EXPECT_EQ(cause(shares, {}), "compute-bound");
  EXPECT_THAT(found(shares, {}).front().advice.value_or(""), HasSubstr("-d cuda"));
}

TEST(Bottlenecks, AreTheHostsWhereWorkersWait) {
  EXPECT_EQ(cause({.waiting = 0.6, .esm2 = 0.3, .read = 0.1, .translate = 0.9}, {}), "host-bound");
  EXPECT_EQ(cause({.waiting = 0.6, .esm2 = 0.3, .read = 0.9, .translate = 0.1}, {}), "I/O-bound");
}

std::vector<std::string> stages_of(const std::vector<RunTelemetry::Bottleneck>& all) {
  std::vector<std::string> stages;
  for (const RunTelemetry::Bottleneck& one : all) stages.push_back(one.stage.value_or(""));
  return stages;
}

// A quarter of the time each of two GPUs waits.
TEST(Bottlenecks, NameWhatAGpuWaitsForHoweverSmall) {
  const Shares shares{
      .waiting = 0.25, .esm2 = 0.7, .dnabert_s = 0.05, .read = 0.1, .translate = 0.9};
  for (const std::optional<double> utilization : {std::optional(75.0), std::optional<double>()}) {
    const auto all = found(shares, {.utilization = utilization, .on_gpu = true});
    ASSERT_THAT(stages_of(all), ElementsAre("translate", "esm2", "waiting"));
    EXPECT_THAT(*all[1].advice, HasSubstr("more GPUs would wait, too"));
    EXPECT_EQ(all[2].share, 0.25);
    EXPECT_EQ(all[2].cause, "host-bound");
    EXPECT_THAT(*all[2].advice, HasSubstr("--prefetch"));
  }
  const Shares slow_disk{.waiting = 0.25, .esm2 = 0.7, .read = 0.2, .translate = 0.1};
  const auto all = found(slow_disk, {.utilization = 75, .on_gpu = true});
  ASSERT_THAT(stages_of(all), ElementsAre("esm2", "waiting"));
  EXPECT_EQ(all[1].cause, "I/O-bound");
}

// Another program may have kept it busy.
TEST(Bottlenecks, BelieveTheRunsOwnEventsThatItsGpuWaited) {
  const auto all = found({.waiting = 0.25, .esm2 = 0.7}, {.utilization = 95, .on_gpu = true});
  ASSERT_THAT(stages_of(all), ElementsAre("esm2", "waiting"));
  EXPECT_THAT(*all[0].advice, HasSubstr("more GPUs would wait, too"));
  const Shares busy{.waiting = 0.05, .esm2 = 0.7};
  EXPECT_THAT(stages_of(found(busy, {.utilization = 95, .on_gpu = true})), ElementsAre("esm2"));
}

// Whatever is known of the GPU.
TEST(Bottlenecks, NameEachLargeStageOfADevice) {
  for (const double utilization : {10, 60, 79, 81, 100}) {
    for (const double waiting : {0.0, 0.1, 0.25, 0.35}) {
      const Shares shares{.waiting = waiting, .esm2 = 0.31, .dnabert_s = 0.32};
      EXPECT_THAT(stages_of(found(shares, {.utilization = utilization, .on_gpu = true})),
                  testing::IsSupersetOf({"esm2", "dnabert_s"}));
    }
  }
}

TEST(Bottlenecks, NameTheModelOfWhichAGpuRunsTooSmallKernels) {
  const Shares shares{.waiting = 0.05, .esm2 = 0.28, .dnabert_s = 0.25};
  const auto all = found(shares, {.utilization = 60, .on_gpu = true});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].stage, "esm2");
  EXPECT_EQ(all[0].cause, "launch-bound");
  EXPECT_THAT(*all[0].advice, HasSubstr("--token-budget"));
}

TEST(Bottlenecks, AreNoneWhereAGpuIsBusyAndNoStageIsLarge) {
  const Shares shares{.waiting = 0.15, .esm2 = 0.28, .dnabert_s = 0.25};
  EXPECT_THAT(found(shares, {.utilization = 85, .on_gpu = true}), IsEmpty());
}

TEST(Bottlenecks, AdviseMoreThreadsOnlyWhereProcessorsAreIdle) {
  const Shares waiting{.waiting = 0.6, .esm2 = 0.3, .read = 0.1, .translate = 0.9};
  const Shares computing{.waiting = 0.01, .esm2 = 0.95, .dnabert_s = 0.04};
  for (const Shares& shares : {waiting, computing}) {
    for (const RunTelemetry::Bottleneck& bottleneck : found(shares, {.spare_processors = false})) {
      EXPECT_THAT(*bottleneck.advice, testing::Not(HasSubstr("--threads")));
    }
    EXPECT_THAT(found(shares, {.spare_processors = true}).front().advice.value_or(""),
                HasSubstr("--threads"));
  }
}

TEST(Bottlenecks, AreNotWhatTheHostDoesBesideABusyDevice) {
  const auto all = found({.waiting = 0.02, .esm2 = 0.9, .read = 0.8, .translate = 0.9}, {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().stage, "esm2");
}

TEST(Bottlenecks, ComeLargestFirstAndOnlyAboveThirtyPercent) {
  const auto all = found({.waiting = 0.3, .esm2 = 0.35, .dnabert_s = 0.35, .tables = 0.4}, {});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].stage, "tables");
  EXPECT_EQ(all[0].cause, "I/O-bound");
  EXPECT_EQ(all[1].stage, "esm2");
  EXPECT_THAT(found({.waiting = 0.3, .esm2 = 0.3}, {}), IsEmpty());
}

}  // namespace
}  // namespace virnucpro
