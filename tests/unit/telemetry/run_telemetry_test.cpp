#include "telemetry/run_telemetry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

RunTelemetry sample() {
  RunTelemetry telemetry;
  telemetry.schema = "virnucpro-telemetry-1";
  telemetry.run = {.status = "finished", .seconds = 100.0, .command = {"virnucpro", "it's"}};
  telemetry.run.resumed = false;
  telemetry.machine.devices = {{.id = "cuda:0", .memory_bytes = 150'754'820'096}};
  telemetry.settings.gpus = {0, 3};
  telemetry.throughput.over_time = {.interval_seconds = 2.0, .frames = {3, 0, 5}};
  telemetry.waits.queue = {.starved = 1, .normal = 0, .full = 4};
  telemetry.workers = {{.name = "cuda:0", .index = 0, .busy_share = 0.5}, {.index = 1}};
  telemetry.devices = {{.id = "cuda:0", .phases = {{{}, "start"}}}};
  telemetry.devices[0].phases[0].power_w = {
      .average = 512.25, .minimum = 80.5, .maximum = 699.0, .samples = 16};
  telemetry.verdicts = {{.id = "PERF-01", .status = "PASS", .value = 8.2}};
  return telemetry;
}

TEST(RunTelemetry, IsReadAsItWasWritten) {
  const std::string text = telemetry_json(sample());
  const auto telemetry = parse_run_telemetry(text, "t.json");
  ASSERT_TRUE(telemetry);
  EXPECT_EQ(telemetry_json(*telemetry), text);
  EXPECT_EQ(telemetry->run.seconds, 100);
  EXPECT_EQ(telemetry->run.resumed, false);
  EXPECT_THAT(telemetry->run.command, ElementsAre("virnucpro", "it's"));
  EXPECT_THAT(telemetry->throughput.over_time.frames, ElementsAre(3, 0, 5));
  EXPECT_EQ(telemetry->devices[0].phases[0].power_w.samples, 16U);
  EXPECT_FALSE(telemetry->devices[0].phases[0].temperature_c.average);
}

// Keys of v2's telemetry, beside this program's.
TEST(RunTelemetry, HasTheFiguresOfV2ByTheirNames) {
  RunTelemetry telemetry = sample();
  telemetry.workload.batches = 7;
  telemetry.packing.efficiency = 0.96;
  EXPECT_THAT(telemetry_json(telemetry), Not(HasSubstr("per_batch_metrics")));
  const std::string text =
      telemetry_json(telemetry, {{{"batch_idx", 3}, {"packing_efficiency", 0.5}}});
  const JsonValues values(text, "t.json");
  EXPECT_EQ(values.count("summary/total_batches"), 7U);
  EXPECT_EQ(values.number("summary/packing_efficiency"), 0.96);
  EXPECT_EQ(values.number("summary/elapsed_seconds"), 100);
  EXPECT_EQ(values.count("per_batch_metrics/0/batch_idx"), 3U);
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
  const auto telemetry = parse_run_telemetry(
      R"({"run": {"seconds": "1", "status": 2, "command": ["a", 3], "resumed": 1},
          "workload": {"batches": -1, "frames": 1e300}, "workers": {"name": "x"},
          "stages": [1, {"seconds": 4}], "packing": 7})",
      "t.json");
  ASSERT_TRUE(telemetry);
  EXPECT_FALSE(telemetry->run.seconds || telemetry->run.status || telemetry->run.resumed);
  EXPECT_THAT(telemetry->run.command, ElementsAre("a", ""));
  EXPECT_FALSE(telemetry->workload.batches || telemetry->workload.frames ||
               telemetry->packing.efficiency);
  EXPECT_TRUE(telemetry->workers.empty());
  ASSERT_EQ(telemetry->stages.size(), 2U);
  EXPECT_FALSE(telemetry->stages[0].seconds);
  EXPECT_EQ(telemetry->stages[1].seconds, 4);
}

// Files of older programs have one phase for all of embedding.
TEST(RunTelemetry, KnowsPhasesByTheirNames) {
  const auto telemetry = parse_run_telemetry(
      R"({"devices": [{"phases": [{"phase": "start", "power_w": {"average": 9, "samples": 1}},
           {"phase": "embedding", "power_w": {"average": 500, "samples": 30}},
           {"phase": "tables", "power_w": {"average": 7, "samples": 2}}]},
          {"phases": [{"phase": "dnabert_s", "power_w": {"average": 300, "samples": 1}},
           {"phase": "esm2", "power_w": {"average": 700, "samples": 3}}, {"phase": "x"},
           {"phase": "tables", "power_w": {"average": 1, "samples": 9}}]}]})",
      "t.json");
  ASSERT_TRUE(telemetry);
  EXPECT_THAT(embedding_averages(*telemetry, &RunTelemetry::DevicePhase::power_w),
              ElementsAre(500, 600));
}

// Programs may read the file in order, so older and newer files have the same one.
TEST(RunTelemetry, WritesTheGaugesOfAPhaseAfterItsName) {
  RunTelemetry telemetry;
  telemetry.devices = {{.phases = {{{}, "start"}}}};
  const std::string text = telemetry_json(telemetry);
  std::size_t place = text.find(R"("phase": "start")");
  for (const char* gauge :
       {"utilization_percent", "memory_used_bytes", "power_w", "temperature_c", "sm_clock_mhz"}) {
    const std::size_t next = text.find(fmt::format(R"("{}": null)", gauge), place);
    ASSERT_NE(next, std::string::npos) << gauge;
    place = next;
  }
}

TEST(RunTelemetry, CountsAnAverageAsASample) {
  const auto telemetry = parse_run_telemetry(
      R"({"host": {"phases": [{"rss_bytes": {"average": 9}, "cpu_percent": {"samples": 4}}]}})",
      "t.json");
  ASSERT_TRUE(telemetry);
  EXPECT_EQ(telemetry->host.phases.at(0).rss_bytes.samples, 1U);
  EXPECT_EQ(telemetry->host.phases.at(0).cpu_percent.samples, 0U);
}

TEST(RunTelemetry, KnowsHowUnevenlyWorkersComputed) {
  const auto imbalance = [](std::initializer_list<double> busy) {
    std::vector<RunTelemetry::Worker> workers;
    for (const double seconds : busy) workers.push_back({.busy_seconds = seconds});
    return imbalance_of(workers);
  };
  EXPECT_EQ(imbalance({80, 100, 90}), 0.2);
  EXPECT_EQ(imbalance({0, 5}), 1);
  EXPECT_FALSE(imbalance({0, 0}));  // nothing was measured, which is not balance
  EXPECT_FALSE(imbalance({}));
  EXPECT_FALSE(imbalance({5}));
}

TEST(RunTelemetry, IsNothingWithoutValues) {
  EXPECT_FALSE(parse_run_telemetry("{}", "t.json"));
  EXPECT_EQ(thrown_kind([] { parse_run_telemetry("{", "t.json"); }), ErrorKind::kJson);
}

TEST(RunTelemetry, IsBounded) {
  std::string many = "{}";
  for (int k = 0; k < 100'000; ++k) many += ",{}";
  const auto telemetry = parse_run_telemetry(
      fmt::format(R"({{"schema": "s", "workers": [{0}], "devices": [{{"phases": [{0}]}}]}})", many),
      "t.json");
  ASSERT_TRUE(telemetry);
  EXPECT_LE(telemetry->workers.size(), RunTelemetry::kMostUnits);
  EXPECT_LE(telemetry->devices.at(0).phases.size(), 64U);
}

}  // namespace
}  // namespace virnucpro
