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
  reading.memory_used_bytes = 1000;
  reading.power_w = 300;
  reading.throttle_reasons = 12;
  HostUsage usage;
  usage.rss_bytes = 4096;
  usage.written_bytes = 77;
  std::string text{kMonitorHeader};
  text += device_row(start, Phase::kEmbedding, "cuda:1", reading);
  reading.power_w = 500;
  text += device_row(start + std::chrono::seconds(2), Phase::kEmbedding, "cuda:1", reading);
  text += host_row(start, Phase::kTables, usage, 160);
  text += monitor_footer(start, {DeviceSummary{}}, std::chrono::milliseconds(500));
  const MetricFacts facts = metric_facts(text);
  EXPECT_EQ(facts.rows, 3U);
  EXPECT_EQ(facts.damaged_lines, 0U);
  ASSERT_EQ(facts.devices.size(), 1U);
  const DeviceSummary& device = facts.summary.devices.front();
  EXPECT_EQ(device.id, "cuda:1");
  const GpuStatistics& embedding = device.of(Phase::kEmbedding);
  EXPECT_EQ(embedding.power_w.average, 400);
  EXPECT_EQ(embedding.power_w.minimum, 300);
  EXPECT_EQ(embedding.power_w.maximum, 500);
  EXPECT_EQ(embedding.temperature_c.samples, 0U);
  EXPECT_EQ(embedding.throttle_reasons, 12U);
  EXPECT_EQ(device.of(Phase::kTables).power_w.samples, 0U);
  EXPECT_EQ(facts.devices.front().power_w.means().back().x, 2.25);
  const HostSummary& host = facts.summary.host;
  EXPECT_EQ(host.of(Phase::kTables).rss_bytes.maximum, 4096);
  EXPECT_EQ(host.of(Phase::kTables).cpu_percent.maximum, 160);
  EXPECT_EQ(host.usage.written_bytes, 77U);
}

TEST(MetricFacts, TellTheModelsApartAndCountTheRows) {
  const MetricFacts facts = metric_facts(
      "timestamp,device_id,stage,memory_used_bytes\n1,a,esm2,5\n2,a,dnabert_s,7\n3,a,tables,\n");
  EXPECT_EQ(facts.damaged_lines, 0U);
  const DeviceSummary& device = facts.summary.devices.at(0);
  EXPECT_EQ(device.of(Phase::kEsm2).memory_used_bytes.average, 5);
  EXPECT_EQ(device.while_embedding().memory_used_bytes.average, 6);
  EXPECT_EQ(device.rows, 2U);
}

// Until 0.3 a GPU was named as in the telemetry, and the time was a date.
TEST(MetricFacts, AreReadFromLogsOfOlderPrograms) {
  const MetricFacts facts = metric_facts(
      "timestamp,device_id,stage,utilization_percent,memory_used_bytes,memory_total_bytes,"
      "temperature_c,power_w,sm_clock_mhz,throttle_reasons,ecc_errors,process_cpu_percent,"
      "rss_bytes,read_bytes,written_bytes\n"
      "2026-01-31T09:30:05.042Z,cuda:1,esm2,97,1000,4000,61,312.4,1980,,2,,,,\n"
      "2026-01-31T09:30:07.042Z,host,esm2,,,,,,,,,160.0,4096,5,6\n");
  EXPECT_EQ(facts.damaged_lines, 0U);
  ASSERT_EQ(facts.summary.devices.size(), 1U);
  EXPECT_EQ(facts.summary.devices[0].id, "cuda:1");
  EXPECT_EQ(facts.summary.devices[0].of(Phase::kEsm2).power_w.average, 312.4);
  EXPECT_EQ(facts.summary.host.of(Phase::kEsm2).rss_bytes.maximum, 4096);
}

TEST(MetricFacts, TakeColumnsInAnyOrderAndEndsOfWindows) {
  const MetricFacts facts =
      metric_facts("power_w,stage,device_id,timestamp\r\n7,tables,a,5\r\n9,tables,a,6\r\n");
  ASSERT_EQ(facts.devices.size(), 1U);
  EXPECT_EQ(facts.summary.devices.front().of(Phase::kTables).power_w.average, 8);
}

TEST(MetricFacts, CountRowsThatAreDamaged) {
  for (const char* row : {"", ",", "x,a,start,1", "NaN,a,start,1", "2026-13-01T00:00:00Z,a,start,1",
                          "2026-01-31T09:30:99Z,a,start,1", "2026-01-31T0x:30:00Z,a,start,1",
                          "1,,start,1", "1,a,x,1", "1,a,,1"}) {
    const MetricFacts facts =
        metric_facts(fmt::format("timestamp,device_id,stage,power_w\n{}\n1,a,start,5\n", row));
    EXPECT_EQ(facts.damaged_lines, 1U) << row;
    EXPECT_EQ(facts.rows, 1U) << row;
  }
}

TEST(MetricFacts, LeaveOutFieldsThatCannotBe) {
  std::string text = "timestamp,device_id,stage,power_w\n1,a,start\n";
  for (const char* power : {"nan", "inf", "-4", "1e300", "", "x"}) {
    text += fmt::format("1,a,start,{}\n", power);
  }
  const MetricFacts facts = metric_facts(text);
  EXPECT_EQ(facts.rows, 7U);
  ASSERT_EQ(facts.summary.devices.size(), 1U);
  EXPECT_EQ(facts.summary.devices.front().whole().power_w.samples, 0U);
}

TEST(MetricFacts, AreBounded) {
  std::string text = "timestamp,device_id,stage\n";
  for (int k = 0; k < 500; ++k) text += fmt::format("1,d{},start\n", k);
  text += fmt::format("1,{},start\n", std::string(5000, 'n'));
  const MetricFacts facts = metric_facts(text);
  EXPECT_EQ(facts.rows, 501U);
  EXPECT_EQ(facts.devices.size(), MetricFacts::kMostDevices);
  EXPECT_EQ(facts.summary.devices.size(), MetricFacts::kMostDevices);
}

TEST(MetricFacts, WantTheNamesOfTheColumns) {
  EXPECT_EQ(thrown_kind([] { metric_facts("1,cuda:0,5\n"); }), ErrorKind::kInputFormat);
  EXPECT_EQ(thrown_kind([] { metric_facts("timestamp,device_id\n"); }), ErrorKind::kInputFormat);
  EXPECT_EQ(metric_facts("").rows, 0U);
}

}  // namespace
}  // namespace virnucpro
