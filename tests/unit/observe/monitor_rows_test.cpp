#include "observe/monitor_rows.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace virnucpro {
namespace {

using testing::EndsWith;

// 2026-01-31 09:30:05.042 UTC
const SystemTime kMoment{std::chrono::milliseconds(1769851805042)};

auto commas(std::string_view line) {
  return std::count(line.begin(), line.end(), ',');
}

TEST(MonitorRows, AreTimedInUtc) {
  EXPECT_TRUE(host_row(kMoment, Phase::kStart, {}, {}).starts_with("2026-01-31T09:30:05.042Z,"));
}

TEST(MonitorRows, HaveEveryColumnOfADevice) {
  const GpuReading reading{.utilization_percent = 97,
                           .memory_used = 1000,
                           .memory_total = 4000,
                           .temperature_c = 61,
                           .power_w = 312.456,
                           .sm_clock_mhz = 1980,
                           .throttle_reasons = 12,
                           .ecc_errors = 2,
                           .failure = {}};
  EXPECT_EQ(device_row(kMoment, Phase::kEmbedding, "cuda:1", reading),
            "2026-01-31T09:30:05.042Z,cuda:1,embedding,97,1000,4000,61,312.456,1980,"
            "sw_power_cap|hw_slowdown,2,,,,\n");
}

TEST(MonitorRows, HaveEveryColumnOfTheHost) {
  const HostUsage usage{.cpu_seconds = 3,
                        .rss_bytes = 4096,
                        .peak_rss_bytes = 8192,
                        .read_bytes = 5,
                        .written_bytes = 6};
  EXPECT_EQ(host_row(kMoment, Phase::kTables, usage, 160.04),
            "2026-01-31T09:30:05.042Z,host,tables,,,,,,,,,160.0,4096,5,6\n");
}

TEST(MonitorRows, LeaveEmptyWhatIsNotKnown) {
  const std::string device = device_row(kMoment, Phase::kStart, "cuda:0", {});
  EXPECT_THAT(device, EndsWith("Z,cuda:0,start,,,,,,,,,,,,\n"));
  EXPECT_EQ(commas(device), commas(kMonitorHeader));
  const std::string host = host_row(kMoment, Phase::kStart, {}, {});
  EXPECT_THAT(host, EndsWith("Z,host,start,,,,,,,,,,,,\n"));
  EXPECT_EQ(commas(host), commas(kMonitorHeader));
}

}  // namespace
}  // namespace virnucpro
