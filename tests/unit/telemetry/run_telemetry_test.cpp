#include "telemetry/run_telemetry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

RunTelemetry sample() {
  RunTelemetry told;
  told.schema = "virnucpro-telemetry-1";
  told.run = {.status = "finished", .seconds = 100.0, .command = {"virnucpro", "it's"}};
  told.run.resumed = false;
  told.machine.devices = {{.id = "cuda:0", .memory_bytes = 150'754'820'096}};
  told.settings.gpus = {0, 3};
  told.throughput.over_time = {.interval_seconds = 2.0, .frames = {3, 0, 5}};
  told.waits.queue = {.starved = 1, .normal = 0, .full = 4};
  told.workers = {{.name = "cuda:0", .index = 0, .busy_share = 0.5}, {.index = 1}};
  told.devices = {{.id = "cuda:0", .phases = {{.phase = "start"}}}};
  told.devices[0].phases[0].power_w = {
      .average = 512.25, .minimum = 80.5, .maximum = 699.0, .samples = 16};
  told.verdicts = {{.id = "PERF-01", .status = "PASS", .value = 8.2}};
  return told;
}

TEST(RunTelemetry, IsReadAsItWasWritten) {
  const std::string text = telemetry_json(sample());
  const auto told = parse_run_telemetry(text, "t.json");
  ASSERT_TRUE(told);
  EXPECT_EQ(telemetry_json(*told), text);
  EXPECT_EQ(told->run.seconds, 100);
  EXPECT_EQ(told->run.resumed, false);
  EXPECT_THAT(told->run.command, ElementsAre("virnucpro", "it's"));
  EXPECT_THAT(told->throughput.over_time.frames, ElementsAre(3, 0, 5));
  EXPECT_EQ(told->devices[0].phases[0].power_w.samples, 16U);
  EXPECT_FALSE(told->devices[0].phases[0].temperature_c.average);
}

TEST(RunTelemetry, HasNullWhereNothingWasMeasured) {
  const std::string text = telemetry_json(sample());
  EXPECT_THAT(text, HasSubstr("\"seconds\": 100.0,\n    \"models_ready_seconds\": null,\n"));
  EXPECT_THAT(text, HasSubstr("\"temperature_c\": null"));
  EXPECT_THAT(text, Not(HasSubstr("\"average\": null")));
  EXPECT_THAT(text, Not(HasSubstr("inputs")));  // the run did not finish
  RunTelemetry finished = sample();
  finished.workload.inputs.emplace();
  EXPECT_THAT(telemetry_json(finished), HasSubstr("\"inputs\": []"));
}

TEST(RunTelemetry, LacksWhatIsOfAnotherType) {
  const auto told = parse_run_telemetry(
      R"({"run": {"seconds": "1", "status": 2, "command": ["a", 3], "resumed": 1},
          "workload": {"batches": -1, "frames": 1e300}, "workers": {"name": "x"},
          "stages": [1, {"seconds": 4}], "packing": 7})",
      "t.json");
  ASSERT_TRUE(told);
  EXPECT_FALSE(told->run.seconds || told->run.status || told->run.resumed);
  EXPECT_THAT(told->run.command, ElementsAre("a", ""));
  EXPECT_FALSE(told->workload.batches || told->workload.frames || told->packing.efficiency);
  EXPECT_TRUE(told->workers.empty());
  ASSERT_EQ(told->stages.size(), 2U);
  EXPECT_FALSE(told->stages[0].seconds);
  EXPECT_EQ(told->stages[1].seconds, 4);
}

TEST(RunTelemetry, IsNothingWithoutValues) {
  EXPECT_FALSE(parse_run_telemetry("{}", "t.json"));
  EXPECT_EQ(thrown_kind([] { parse_run_telemetry("{", "t.json"); }), ErrorKind::kJson);
}

TEST(RunTelemetry, IsBounded) {
  std::string many = "{}";
  for (int k = 0; k < 100'000; ++k) many += ",{}";
  const auto told = parse_run_telemetry(
      fmt::format(R"({{"schema": "s", "workers": [{0}], "devices": [{{"phases": [{0}]}}]}})", many),
      "t.json");
  ASSERT_TRUE(told);
  EXPECT_LE(told->workers.size(), 64U);
  EXPECT_LE(told->devices.at(0).phases.size(), 64U);
}

}  // namespace
}  // namespace virnucpro
