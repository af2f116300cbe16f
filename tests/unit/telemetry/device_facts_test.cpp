#include "telemetry/device_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "observe/monitor_rows.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

MetricFacts metric_facts(const std::string& text) {
  const TempDir directory;
  write_text(directory / "m.log", text);
  return read_metrics(directory / "m.log");
}

TEST(MetricFacts, AreWhatTheMonitorWrote) {
  const SystemTime start{std::chrono::milliseconds(1769851805042)};
  GpuReading reading;
  reading.utilization_percent = 90;
  reading.memory_used = 1000;
  reading.power_w = 300;
  reading.throttle_reasons = 12;
  HostUsage usage;
  usage.rss_bytes = 4096;
  std::string text{kMonitorHeader};
  text += device_row(start, Phase::kEmbedding, "cuda:1", reading);
  reading.power_w = 500;
  text += device_row(start + std::chrono::seconds(2), Phase::kEmbedding, "cuda:1", reading);
  text += host_row(start, Phase::kTables, usage, 160);
  const MetricFacts facts = metric_facts(text);
  EXPECT_EQ(facts.rows, 3U);
  EXPECT_EQ(facts.damaged_lines, 0U);
  ASSERT_EQ(facts.devices.size(), 1U);
  const DeviceFacts& device = facts.devices.front();
  EXPECT_EQ(device.id, "cuda:1");
  EXPECT_EQ(device.power.values.mean, 400);
  EXPECT_EQ(device.power.values.min, 300);
  EXPECT_EQ(device.power.values.max, 500);
  EXPECT_EQ(device.power.over_time.means().back().x, 2.25);
  EXPECT_EQ(device.temperature.values.count, 0U);
  EXPECT_EQ(device.throttled_by, (std::set<std::string>{"sw_power_cap", "hw_slowdown"}));
  EXPECT_EQ(facts.host.memory.values.max, 4096);
  EXPECT_EQ(facts.host.cpu.values.max, 160);
}

TEST(MetricFacts, TakeColumnsInAnyOrderAndEndsOfWindows) {
  const MetricFacts facts = metric_facts("power_w,device_id,timestamp\r\n7,a,5\r\n9,a,6\r\n");
  ASSERT_EQ(facts.devices.size(), 1U);
  EXPECT_EQ(facts.devices.front().power.values.mean, 8);
}

TEST(MetricFacts, CountRowsThatAreDamaged) {
  for (const char* row : {"", ",", "x,a,1", "NaN,a,1", "2026-13-01T00:00:00Z,a,1",
                          "2026-01-31T09:30:99Z,a,1", "2026-01-31T0x:30:00Z,a,1", "1,,1"}) {
    const MetricFacts facts =
        metric_facts(fmt::format("timestamp,device_id,power_w\n{}\n1,a,5\n", row));
    EXPECT_EQ(facts.damaged_lines, 1U) << row;
    EXPECT_EQ(facts.rows, 1U) << row;
  }
}

TEST(MetricFacts, LeaveOutFieldsThatCannotBe) {
  const MetricFacts facts = metric_facts(
      "timestamp,device_id,power_w\n1,a,nan\n1,a,inf\n1,a,-4\n1,a,1e300\n1,a,\n1,a\n1,a,x\n");
  EXPECT_EQ(facts.rows, 7U);
  ASSERT_EQ(facts.devices.size(), 1U);
  EXPECT_EQ(facts.devices.front().power.values.count, 0U);
}

TEST(MetricFacts, AreBounded) {
  std::string text = "timestamp,device_id,throttle_reasons\n";
  for (int k = 0; k < 500; ++k) text += fmt::format("1,a,r{0}|\n1,d{0},\n", k);
  text += fmt::format("1,{},x\n", std::string(5000, 'n'));
  const MetricFacts facts = metric_facts(text);
  EXPECT_EQ(facts.rows, 1001U);
  EXPECT_EQ(facts.devices.size(), MetricFacts::kMostDevices);
  EXPECT_EQ(facts.devices.front().throttled_by.size(), MetricFacts::kMostReasons);
}

TEST(MetricFacts, WantTheNamesOfTheColumns) {
  EXPECT_EQ(thrown_kind([] { metric_facts("1,cuda:0,5\n"); }), ErrorKind::kInputFormat);
  EXPECT_EQ(metric_facts("").rows, 0U);
}

}  // namespace
}  // namespace virnucpro
