#include "observe/monitor_rows.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace virnucpro {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// 2026-01-31 09:30:05.042 UTC
const SystemTime kMoment{std::chrono::milliseconds(1769851805042)};

auto commas(std::string_view line) {
  return std::count(line.begin(), line.end(), ',');
}

// The first columns are those of v2's log.
TEST(MonitorRows, AreTimedInSecondsSince1970) {
  EXPECT_TRUE(host_row(kMoment, Phase::kStart, {}, {}).starts_with("1769851805.042,-1,"));
  EXPECT_TRUE(kMonitorHeader.starts_with(
      "timestamp,device_id,gpu_util,mem_used_mb,mem_percent,temperature,power_draw,stage,"));
}

// A gauge without a column would be missing in the log, and without a label in the report.
TEST(MonitorRows, HaveAColumnForEveryGauge) {
  for_each_field(kGpuGauges, [](std::string_view name, const GaugeWords& words) {
    EXPECT_THAT(std::string(kMonitorHeader), HasSubstr(fmt::format(",{},", name)));
    EXPECT_FALSE(words.label.empty()) << name;
  });
}

TEST(MonitorRows, HaveEveryColumnOfADevice) {
  const GpuReading reading{{.utilization_percent = 97,
                            .memory_used_bytes = 3U << 20U,
                            .power_w = 312.456,
                            .temperature_c = 61,
                            .sm_clock_mhz = 1980},
                           12U << 20U,  // the memory's size
                           12,          // reasons to throttle
                           2,           // ECC errors
                           {}};
  EXPECT_EQ(device_row(kMoment, Phase::kEmbedding, "cuda:1", reading),
            "1769851805.042,1,97,3.0,25.0,61,312.456,embedding,97,3145728,12582912,61,312.456,1980,"
            "sw_power_cap|hw_slowdown,2,,,,\n");
}

TEST(MonitorRows, HaveEveryColumnOfTheHost) {
  const HostUsage usage{.cpu_seconds = 3,
                        .rss_bytes = 4096,
                        .peak_rss_bytes = 8192,
                        .read_bytes = 5,
                        .written_bytes = 6};
  EXPECT_EQ(host_row(kMoment, Phase::kTables, usage, 160.04),
            "1769851805.042,-1,,,,,,tables,,,,,,,,,160.0,4096,5,6\n");
}

TEST(MonitorRows, LeaveEmptyWhatIsNotKnown) {
  const std::string device = device_row(kMoment, Phase::kStart, "cuda:0", {});
  EXPECT_THAT(device, EndsWith("042,0,,,,,,start,,,,,,,,,,,,\n"));
  EXPECT_EQ(commas(device), commas(kMonitorHeader));
  const std::string host = host_row(kMoment, Phase::kStart, {}, {});
  EXPECT_THAT(host, EndsWith("042,-1,,,,,,start,,,,,,,,,,,,\n"));
  EXPECT_EQ(commas(host), commas(kMonitorHeader));
}

TEST(MonitorRows, EndWithTheSummaryOfV2) {
  const auto reading = [](unsigned percent, std::uint64_t memory) {
    GpuReading of_gpu;
    of_gpu.utilization_percent = percent;
    of_gpu.memory_used_bytes = memory;
    return of_gpu;
  };
  DeviceSummary gpu;
  gpu.id = "cuda:1";
  gpu.rows = 3;
  gpu.add(Phase::kEsm2, reading(80, 3ULL << 30U));
  gpu.add(Phase::kEsm2, reading(90, 3ULL << 30U));
  gpu.add(Phase::kTables, reading(10, 1ULL << 29U));
  DeviceSummary without_nvml;
  without_nvml.id = "cuda:3";
  EXPECT_EQ(monitor_footer(kMoment, {gpu, without_nvml}, std::chrono::milliseconds(500)),
            "#\n# Monitoring Stopped: 2026-01-31T09:30:05.042Z\n#\n# Summary:\n"
            "# GPU 1:\n#   Avg Utilization: 60.0%\n#   Peak Memory: 3.00 GB\n#   Samples: 3\n"
            "#   By Stage:\n"
            "#     esm2: 85.0% util, 3.00 GB peak, 1.0s\n"
            "#     tables: 10.0% util, 0.50 GB peak, 0.5s\n"
            "# GPU 3:\n#   Avg Utilization: unknown\n#   Peak Memory: 0.00 GB\n#   Samples: 0\n"
            "#   By Stage:\n");
}

}  // namespace
}  // namespace virnucpro
