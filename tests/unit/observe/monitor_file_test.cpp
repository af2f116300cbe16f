#include "observe/monitor_file.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "base/directory.hpp"

namespace virnucpro {
namespace {

using testing::EndsWith;

// 2026-01-31 09:30:05.042 UTC
const SystemTime kTime{std::chrono::milliseconds(1769851805042)};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

auto commas(std::string_view line) {
  return std::count(line.begin(), line.end(), ',');
}

TEST(MonitorRows, AreTimedInUtc) {
  EXPECT_EQ(monitor_file_name(kTime), "gpu_metrics_20260131T093005Z.log");
  EXPECT_TRUE(host_row(kTime, Phase::kStart, {}, {}).starts_with("2026-01-31T09:30:05.042Z,"));
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
  EXPECT_EQ(device_row(kTime, Phase::kEmbedding, "cuda:1", reading),
            "2026-01-31T09:30:05.042Z,cuda:1,embedding,97,1000,4000,61,312.456,1980,"
            "sw_power_cap|hw_slowdown,2,,,,\n");
}

TEST(MonitorRows, HaveEveryColumnOfTheHost) {
  const HostUsage usage{.cpu_seconds = 3,
                        .rss_bytes = 4096,
                        .peak_rss_bytes = 8192,
                        .read_bytes = 5,
                        .written_bytes = 6};
  EXPECT_EQ(host_row(kTime, Phase::kTables, usage, 160.04),
            "2026-01-31T09:30:05.042Z,host,tables,,,,,,,,,160.0,4096,5,6\n");
}

TEST(MonitorRows, LeaveEmptyWhatIsNotKnown) {
  const std::string device = device_row(kTime, Phase::kStart, "cuda:0", {});
  EXPECT_THAT(device, EndsWith("Z,cuda:0,start,,,,,,,,,,,,\n"));
  EXPECT_EQ(commas(device), commas(kMonitorHeader));
  const std::string host = host_row(kTime, Phase::kStart, {}, {});
  EXPECT_THAT(host, EndsWith("Z,host,start,,,,,,,,,,,,\n"));
  EXPECT_EQ(commas(host), commas(kMonitorHeader));
}

struct MonitorFileTest : testing::Test {
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "log";
};

TEST_F(MonitorFileTest, HasOneHeaderAndWhatWasAppendedAtOnce) {
  const std::string header(kMonitorHeader);
  MonitorFile file(path);
  EXPECT_EQ(file.append("a\n"), 0);
  EXPECT_EQ(read_text(path), header + "a\n");
  EXPECT_EQ(file.append("b\nc\n"), 0);
  EXPECT_EQ(MonitorFile(path).append("d\n"), 0);
  EXPECT_EQ(read_text(path), header + "a\nb\nc\nd\n");
}

TEST_F(MonitorFileTest, IsTriedAgainWhereItCannotBeOpened) {
  MonitorFile file(folder.path() / "later" / "log");
  EXPECT_EQ(file.append("a\n"), ENOENT);
  std::filesystem::create_directory(folder.path() / "later");
  EXPECT_EQ(file.append("b\n"), 0);
  EXPECT_EQ(read_text(folder.path() / "later" / "log"), std::string(kMonitorHeader) + "b\n");
}

// As on a disk that is full, and then no longer.
struct FullDisk {
  explicit FullDisk(std::size_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before); }

  rlimit before{};
};

TEST_F(MonitorFileTest, KeepsNoPartOfWhatCouldNotBeWritten) {
  const std::string header(kMonitorHeader);
  MonitorFile file(path);
  {
    const FullDisk within_header(header.size() / 2);
    EXPECT_EQ(file.append("a\n"), EFBIG);
    EXPECT_EQ(read_text(path), "");
  }
  {
    const FullDisk within_rows(header.size() + 5);
    EXPECT_EQ(file.append("b\n"), 0);
    EXPECT_EQ(file.append("too long\n"), EFBIG);
    EXPECT_EQ(read_text(path), header + "b\n");
    EXPECT_EQ(file.append("c\n"), 0);
  }
  EXPECT_EQ(file.append("d\n"), 0);
  EXPECT_EQ(read_text(path), header + "b\nc\nd\n");
}

}  // namespace
}  // namespace virnucpro
