#include "measure/timing/stage_rates.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

std::vector<StageRate> stages(double translate, double esm2) {
  return {{"read", StageClock::kHost, 100'000},
          {"translate", StageClock::kHost, translate, true},
          {"esm2", StageClock::kDevice, esm2},
          {"dnabert_s", StageClock::kDevice, 10'000}};
}

TEST(SlowestStage, NamesAPlantedBottleneckOfTheHost) {
  const SlowestStage slowest = slowest_stage(stages(100, 5'000), 2, 1);
  EXPECT_EQ(slowest.clock, StageClock::kHost);
  EXPECT_EQ(slowest.name, "translate");
  EXPECT_NEAR(slowest.host_sequences_per_second, 200, 1e-6);
  EXPECT_GT(slowest.share, 0.99);
}

TEST(SlowestStage, NamesAPlantedBottleneckOfTheDevice) {
  const SlowestStage slowest = slowest_stage(stages(50'000, 600), 2, 1);
  EXPECT_EQ(slowest.clock, StageClock::kDevice);
  EXPECT_EQ(slowest.name, "esm2");
  EXPECT_NEAR(slowest.device_sequences_per_second, 1 / (1.0 / 600 + 1.0 / 10'000), 1e-6);
}

TEST(SlowestStage, CountsThreadsAndDevices) {
  EXPECT_EQ(slowest_stage(stages(1'000, 600), 1, 1).clock, StageClock::kDevice);
  EXPECT_EQ(slowest_stage(stages(1'000, 600), 1, 2).clock, StageClock::kHost);
  EXPECT_EQ(slowest_stage(stages(1'000, 600), 2, 2).clock, StageClock::kDevice);
}

// More threads do not speed up a stage that runs on one thread.
TEST(SlowestStage, NamesAStageOfOneThread) {
  std::vector<StageRate> some = stages(50'000, 5'000);
  some.push_back({"journal", StageClock::kHost, 1'000});
  const SlowestStage slowest = slowest_stage(some, 64, 1);
  EXPECT_EQ(slowest.clock, StageClock::kHost);
  EXPECT_EQ(slowest.name, "journal");
  EXPECT_DOUBLE_EQ(slowest.host_sequences_per_second, 1'000);
  EXPECT_DOUBLE_EQ(slowest.share, 1);
}

}  // namespace
}  // namespace virnucpro
