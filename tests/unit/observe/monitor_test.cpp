#include "observe/monitor.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/directory.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "observe/monitor_rows.hpp"
#include "unit/file_size_limit.hpp"
#include "unit/observe/fake_driver.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Row = std::vector<std::string>;
enum Column : std::size_t { kTime, kDevice, kStage = 7, kUtilization, kUsed, kCpu = 16, kRss };

Row split(const std::string& line) {
  Row row{""};
  for (const char letter : line) {
    if (letter == ',') {
      row.emplace_back();
    } else {
      row.back() += letter;
    }
  }
  return row;
}

// The rows of a file, which must be complete: header, whole lines, every column.
std::vector<Row> rows_of(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  EXPECT_TRUE(text.starts_with(kMonitorHeader)) << text;
  EXPECT_TRUE(text.ends_with('\n')) << text;
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    rows.push_back(split(line));
    EXPECT_EQ(rows.back().size(), rows.front().size()) << line;
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

std::vector<Row> rows_of(const std::filesystem::path& path, const std::string& device) {
  std::vector<Row> rows = rows_of(path);
  std::erase_if(rows, [&](const Row& row) { return row[kDevice] != device; });
  return rows;
}

void wait_until(const std::function<bool()>& is_so) {
  const auto latest = steady_clock::now() + std::chrono::seconds(60);
  while (!is_so()) {
    ASSERT_LT(steady_clock::now(), latest) << "it never was so";
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void wait_for_samples(const Monitor& monitor, std::uint64_t more) {
  const std::uint64_t before = monitor.summary().samples;
  wait_until([&] { return monitor.summary().samples >= before + more; });
}

// The summary after at least `samples` samples. The monitor has then ended, and its file is
// complete.
MonitorSummary summary_after(std::uint64_t samples, const MonitorSettings& settings) {
  Monitor monitor(settings);
  wait_for_samples(monitor, samples);
  monitor.end();
  return monitor.summary();
}

struct MonitorTest : testing::Test {
  MonitorTest() {
    send_log_to([this](LogLevel level, std::string_view text) {
      if (level == LogLevel::kWarning) warnings.emplace_back(text);
    });
  }
  ~MonitorTest() override { send_log_to({}); }

  MonitorSettings settings(std::vector<std::string> uuids) const {
    MonitorSettings all;
    for (std::string& uuid : uuids) {
      all.devices.push_back({fmt::format("cuda:{}", all.devices.size()), std::move(uuid), ""});
    }
    all.interval = milliseconds(2);
    all.csv = csv;
    all.nvml_library = VIRNUCPRO_FAKE_NVML;
    return all;
  }

  TemporaryFolder folder;
  const std::filesystem::path csv = folder.path() / "gpu_metrics.log";
  std::vector<std::string> warnings;  // read after the monitor's end
};

TEST_F(MonitorTest, MeasuresADeviceAndTheHost) {
  const FakeDriver driver(kWholeGpu);
  Monitor monitor(settings({"GPU-1"}));
  wait_for_samples(monitor, 3);
  const MonitorSummary summary = monitor.summary();
  EXPECT_THAT(monitor.utilization(), testing::ElementsAre(97.0));
  monitor.end();
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(summary.driver, "580.65.06");
  ASSERT_EQ(summary.devices.size(), 1U);
  const DeviceSummary& device = summary.devices.front();
  EXPECT_EQ(device.id, "cuda:0");
  EXPECT_EQ(device.description.name, "Fake-GPU");
  EXPECT_EQ(device.description.power_limit_w, 700.0);
  EXPECT_EQ(device.memory_total, 4000U);
  const GpuStatistics& start = device.of(Phase::kStart);
  EXPECT_GE(start.utilization_percent.samples, 3U);
  EXPECT_EQ(start.utilization_percent.average, 97);
  EXPECT_EQ(start.memory_used_bytes.maximum, 1000);
  EXPECT_EQ(start.temperature_c.maximum, 61);
  EXPECT_EQ(start.power_w.maximum, 312.456);
  EXPECT_EQ(start.sm_clock_mhz.maximum, 1980);
  EXPECT_EQ(start.ecc_errors.maximum, 2);
  EXPECT_EQ(start.throttle_reasons, 12U);
  EXPECT_GT(summary.host.of(Phase::kStart).rss_bytes.minimum, 0);
  EXPECT_GE(summary.host.of(Phase::kStart).cpu_percent.samples, 2U);
  EXPECT_TRUE(summary.host.usage.cpu_seconds);
}

TEST_F(MonitorTest, WritesARowForEachOfThemEachTime) {
  const FakeDriver driver(kWholeGpu);
  summary_after(3, settings({"GPU-1"}));
  const std::vector<Row> rows = rows_of(csv);
  ASSERT_GE(rows.size(), 6U);
  EXPECT_EQ(rows[0][kTime], rows[1][kTime]);
  EXPECT_EQ(Row(rows[0].begin() + kDevice, rows[0].end()),
            split("0,97,0.0,25.0,61,312.456,start,97,1000,4000,61,312.456,1980,"
                  "sw_power_cap|hw_slowdown,2,,,,"));
  EXPECT_EQ(rows[1][kDevice], kHostId);
  EXPECT_EQ(rows[1][kUtilization], "");
  EXPECT_EQ(rows[1][kCpu], "");  // no earlier value to compare with
  EXPECT_NE(rows[1][kRss], "");
  EXPECT_NE(rows[3][kCpu], "");
}

TEST_F(MonitorTest, EndsItsFileWithASummaryOfEachGpu) {
  const FakeDriver driver(kWholeGpu);
  const std::uint64_t samples = summary_after(3, settings({"GPU-1"})).samples;
  const std::string text = read_text(csv);
  EXPECT_THAT(text, HasSubstr("\n#\n# Monitoring Stopped: "));
  EXPECT_THAT(text, HasSubstr("# Summary:\n# GPU 0:\n#   Avg Utilization: 97.0%\n"));
  EXPECT_THAT(text, HasSubstr(fmt::format("#   Samples: {}\n#   By Stage:\n", samples)));
  EXPECT_THAT(text, HasSubstr("#     start: 97.0% util, 0.00 GB peak, "));
}

TEST_F(MonitorTest, KeepsAverageAndExtremesOfEachPhaseApart) {
  const FakeDriver driver("GPU-1 utilization 10 40 70 20\nGPU-1 throttle 4 8 0\n");
  MonitorSettings slow = settings({"GPU-1"});
  slow.interval = milliseconds(40);
  Monitor monitor(slow);
  wait_for_samples(monitor, 1);
  monitor.enter(Phase::kEmbedding);
  wait_for_samples(monitor, 2);
  monitor.enter(Phase::kTables);
  wait_for_samples(monitor, 2);
  const DeviceSummary device = monitor.summary().devices.front();
  // Timing decides which sample is a phase's last; but none may be lost or counted twice.
  const GpuStatistics whole = device.whole();
  EXPECT_EQ(whole.utilization_percent.minimum, 10);
  EXPECT_EQ(whole.utilization_percent.maximum, 70);
  EXPECT_EQ(whole.throttle_reasons, 12U);
  EXPECT_EQ(device.of(Phase::kStart).utilization_percent.minimum, 10);
  EXPECT_EQ(device.of(Phase::kTables).utilization_percent.minimum, 20);
  std::uint64_t count = 0;
  for (const Phase phase : {Phase::kStart, Phase::kEmbedding, Phase::kTables}) {
    EXPECT_GT(device.of(phase).utilization_percent.samples, 0U);
    count += device.of(phase).utilization_percent.samples;
  }
  EXPECT_EQ(count, whole.utilization_percent.samples);
}

TEST_F(MonitorTest, NamesThePhaseOfEachRow) {
  Monitor monitor(settings({}));
  for (const Phase phase : {Phase::kStart, Phase::kEmbedding, Phase::kTables}) {
    monitor.enter(phase);
    wait_for_samples(monitor, 2);
  }
  const MonitorSummary summary = monitor.summary();
  monitor.end();
  Row stages;
  for (const Row& row : rows_of(csv, "-1")) {
    if (stages.empty() || stages.back() != row[kStage]) stages.push_back(row[kStage]);
  }
  EXPECT_THAT(stages, ElementsAre("start", "embedding", "tables"));
  EXPECT_EQ(summary.host.whole().rss_bytes.samples, summary.samples);
}

TEST_F(MonitorTest, TellsWhatAPartOfAGpuTells) {
  const FakeDriver driver("MIG-7 memory 5/20\n");
  const MonitorSummary summary = summary_after(2, settings({"MIG-7"}));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(summary.devices[0].failure, "");
  EXPECT_EQ(summary.devices[0].whole().utilization_percent.samples, 0U);
  EXPECT_EQ(summary.devices[0].whole().memory_used_bytes.average, 5);
  const Row row = rows_of(csv, "0").front();
  EXPECT_EQ(Row(row.begin() + kDevice, row.end()), split("0,,0.0,25.0,,,start,,5,20,,,,,,,,,"));
}

TEST_F(MonitorTest, TellsDevicesApart) {
  const FakeDriver driver("GPU-2 memory 2/9\nGPU-1 memory 1/9\n");
  summary_after(2, settings({"GPU-1", "GPU-2"}));
  EXPECT_EQ(rows_of(csv, "0").front()[kUsed], "1");
  EXPECT_EQ(rows_of(csv, "1").front()[kUsed], "2");
}

TEST_F(MonitorTest, GoesOnWhenADeviceStopsToAnswer) {
  const FakeDriver driver("GPU-1 memory 1/9 !15 !15 !15 3/9\nGPU-2 memory 2/9\n");
  const MonitorSummary summary = summary_after(6, settings({"GPU-1", "GPU-2"}));
  EXPECT_THAT(warnings,
              ElementsAre("cuda:0 cannot be measured by NVIDIA's library NVML: GPU is lost"));
  EXPECT_EQ(summary.devices[0].failure, "GPU is lost");
  EXPECT_EQ(summary.devices[0].whole().memory_used_bytes.samples, summary.samples - 3);
  EXPECT_EQ(summary.devices[1].failure, "");
  const std::vector<Row> rows = rows_of(csv, "0");
  EXPECT_EQ(rows[0][kUsed], "1");
  for (std::size_t i = 1; i <= 3; ++i) EXPECT_EQ(rows[i][kUsed], "");
  EXPECT_EQ(rows[4][kUsed], "3");
}

TEST_F(MonitorTest, MeasuresTheOthersWhereADeviceIsNotFound) {
  const FakeDriver driver("GPU-2 memory 2/9\n");
  const MonitorSummary summary = summary_after(2, settings({"GPU-1", "GPU-2"}));
  EXPECT_THAT(warnings, ElementsAre("cuda:0 is not measured by NVIDIA's library NVML: Not Found"));
  EXPECT_EQ(summary.devices[0].failure, "Not Found");
  EXPECT_THAT(rows_of(csv, "0"), IsEmpty());
  EXPECT_EQ(rows_of(csv, "1").front()[kUsed], "2");
}

TEST_F(MonitorTest, MeasuresTheHostAloneWithoutNvml) {
  MonitorSettings without = settings({"GPU-1"});
  without.nvml_library = "/nowhere/libnvidia-ml.so.1";
  const MonitorSummary summary = summary_after(2, without);
  EXPECT_THAT(
      warnings,
      ElementsAre(HasSubstr("only the GPUs' memory is measured: /nowhere/libnvidia-ml.so.1")));
  EXPECT_THAT(summary.nvml_failure, HasSubstr("/nowhere"));
  EXPECT_EQ(summary.devices[0].failure, summary.nvml_failure);
  EXPECT_EQ(summary.devices[0].rows, 0U);
  EXPECT_EQ(rows_of(csv, "-1").size(), rows_of(csv).size());
}

TEST_F(MonitorTest, HasTheMemoryThatWorkersReportWithoutNvml) {
  MonitorSettings without = settings({"GPU-1", "GPU-2"});
  without.nvml_library = "/nowhere/libnvidia-ml.so.1";
  without.devices[0].memory = {.device_used = 3, .device_total = 9};
  Monitor monitor(without);
  wait_for_samples(monitor, 2);
  for (const std::uint32_t worker : {0U, 7U}) {
    monitor.record({.worker = worker, .memory = WorkerMemory{.device_used = 5, .device_total = 9}});
  }
  wait_for_samples(monitor, 2);
  const MonitorSummary summary = monitor.summary();
  monitor.end();
  const DeviceSummary& first = summary.devices[0];
  EXPECT_EQ(first.rows, summary.samples);
  EXPECT_EQ(first.nvml_rows, 0U);
  EXPECT_EQ(first.whole().memory_used_bytes.minimum, 3);
  EXPECT_EQ(first.whole().memory_used_bytes.maximum, 5);
  EXPECT_EQ(first.memory_total, 9U);
  EXPECT_EQ(summary.devices[1].rows, 0U);  // its worker reported nothing
  const Row row = rows_of(csv, "0").back();
  EXPECT_EQ(Row(row.begin() + kDevice, row.end()), split("0,,0.0,55.6,,,start,,5,9,,,,,,,,,"));
  EXPECT_THAT(rows_of(csv, "1"), IsEmpty());
}

TEST_F(MonitorTest, PrefersNvmlToWhatWorkersReport) {
  const FakeDriver driver("GPU-1 memory 1/9 !15 1/9\n");
  MonitorSettings both = settings({"GPU-1"});
  both.devices[0].memory = {.device_used = 4, .device_total = 9};
  const MonitorSummary summary = summary_after(4, both);
  EXPECT_EQ(summary.devices[0].rows, summary.samples);
  EXPECT_EQ(summary.devices[0].nvml_rows, summary.samples - 1);
  const std::vector<Row> rows = rows_of(csv, "0");
  EXPECT_EQ(rows[0][kUsed], "1");
  EXPECT_EQ(rows[1][kUsed], "4");
  EXPECT_EQ(rows[2][kUsed], "1");
}

// A batch that computed ESM-2 for an hour until `end`, and then nothing else.
BatchMetrics hour_of_esm2(std::uint32_t worker, steady_clock::time_point end) {
  return {.worker = worker, .times = {.esm2 = 3600}, .arrived = end};
}

TEST_F(MonitorTest, TellsTheModelsApartByTheTimesOfTheirBatches) {
  const FakeDriver driver("GPU-1 memory 1/9\nGPU-2 memory 2/9\n");
  Monitor monitor(settings({"GPU-1", "GPU-2"}));
  monitor.enter(Phase::kEmbedding);
  wait_for_samples(monitor, 5);  // the first may have begun before the phase
  EXPECT_EQ(monitor.summary().devices[0].of(Phase::kEsm2).memory_used_bytes.samples, 0U);
  monitor.record(hour_of_esm2(0, steady_clock::now()));
  const DeviceSummary first = monitor.summary().devices[0];
  EXPECT_GE(first.of(Phase::kEsm2).memory_used_bytes.samples, 4U);
  // One that came later; before it the device waited.
  monitor.record({.worker = 1,
                  .times = {.dnabert_s = 1e-9},
                  .arrived = steady_clock::now() + std::chrono::seconds(9)});
  EXPECT_GE(monitor.summary().devices[1].of(Phase::kEmbedding).memory_used_bytes.samples, 4U);
  monitor.enter(Phase::kTables);
  wait_for_samples(monitor, 2);
  const MonitorSummary summary = monitor.summary();
  monitor.end();
  std::map<std::string, std::set<std::string>> phases;
  for (const Row& row : rows_of(csv)) phases[row[kDevice]].insert(row[kStage]);
  EXPECT_THAT(phases["0"], testing::IsSupersetOf({"esm2", "tables"}));
  EXPECT_THAT(phases["1"], testing::Not(testing::Contains("esm2")));
  EXPECT_THAT(phases["-1"], testing::Not(testing::Contains("esm2")));
  const GpuStatistics embedding = summary.devices[0].while_embedding();
  EXPECT_EQ(embedding.memory_used_bytes.samples,
            summary.devices[0].of(Phase::kEsm2).memory_used_bytes.samples +
                summary.devices[0].of(Phase::kEmbedding).memory_used_bytes.samples);
  EXPECT_EQ(summary.devices[0].whole().memory_used_bytes.samples, summary.samples);
}

TEST_F(MonitorTest, HoldsARowBackUntilItsBatchIsKnown) {
  const FakeDriver driver(kWholeGpu);
  Monitor monitor(settings({"GPU-1"}));
  wait_for_samples(monitor, 1);
  monitor.enter(Phase::kEmbedding);
  wait_for_samples(monitor, 6);
  const std::size_t before = rows_of(csv, "0").size();
  EXPECT_THAT(monitor.utilization(), ElementsAre(97.0));  // live values do not wait
  monitor.record(hour_of_esm2(0, steady_clock::now()));
  wait_until([&] { return rows_of(csv, "0").size() >= before + 5; });
  EXPECT_EQ(rows_of(csv, "0")[before][kStage], "esm2");
}

TEST(PhaseBeforeResults, FollowsFromABatchsTimes) {
  const BatchTimes times{.waiting = 8, .esm2 = 4, .dnabert_s = 2, .classifier = 1, .to_host = 1};
  EXPECT_EQ(phase_before_results(times, 0), Phase::kEmbedding);
  EXPECT_EQ(phase_before_results(times, 1.9), Phase::kEmbedding);
  EXPECT_EQ(phase_before_results(times, 2.1), Phase::kDnabertS);
  EXPECT_EQ(phase_before_results(times, 3.9), Phase::kDnabertS);
  EXPECT_EQ(phase_before_results(times, 4.1), Phase::kEsm2);
  EXPECT_EQ(phase_before_results(times, 8), Phase::kEsm2);
  EXPECT_EQ(phase_before_results(times, 8.1), Phase::kEmbedding);
}

TEST_F(MonitorTest, OpensNoNvmlWithoutDevices) {
  MonitorSettings host = settings({});
  host.nvml_library = "/nowhere/libnvidia-ml.so.1";
  EXPECT_EQ(summary_after(1, host).nvml_failure, "");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(MonitorTest, GoesOnWhenItsFileCannotBeWritten) {
  const FakeDriver driver("GPU-1 memory 1/9\n");
  for (const std::string path : {"/dev/full", "/nowhere/gpu_metrics.log"}) {
    warnings.clear();
    MonitorSettings unwritable = settings({"GPU-1"});
    unwritable.csv = std::filesystem::path(path);
    const MonitorSummary summary = summary_after(3, unwritable);
    EXPECT_THAT(
        warnings,
        ElementsAre(HasSubstr(path + ": this file cannot be written, so it lacks measurements: ")));
    EXPECT_EQ(summary.written, 0U);
    EXPECT_EQ(summary.devices[0].rows, 0U);
    EXPECT_EQ(summary.devices[0].nvml_rows, 0U);
    EXPECT_GE(summary.devices[0].whole().memory_used_bytes.samples, 3U);
    EXPECT_THAT(warnings[0], HasSubstr(summary.file_failure));
    EXPECT_FALSE(summary.file_failure.empty());
  }
}

// The disk is full once the file has its header and some rows.
TEST_F(MonitorTest, CountsTheRowsOfItsFileAlone) {
  const FakeDriver driver("GPU-1 memory 1/9\n");
  MonitorSummary summary;
  {
    const FileSizeLimit full(kMonitorHeader.size() + 1000);
    Monitor monitor(settings({"GPU-1"}));
    wait_until([&] { return !monitor.summary().file_failure.empty(); });
    wait_for_samples(monitor, 3);
    monitor.end();
    summary = monitor.summary();
  }
  EXPECT_EQ(summary.written, rows_of(csv, "-1").size());
  EXPECT_EQ(summary.devices[0].rows, rows_of(csv, "0").size());
  EXPECT_GT(summary.written, 0U);
  EXPECT_GE(summary.samples, summary.written + 3);
  EXPECT_EQ(summary.file_failure, errno_text(EFBIG));
}

TEST_F(MonitorTest, CountsTheRowsThatWereHeldBackOnceItEnds) {
  const FakeDriver driver("GPU-1 memory 1/9\n");
  Monitor monitor(settings({"GPU-1"}));
  monitor.enter(Phase::kEmbedding);
  wait_for_samples(monitor, 3);
  monitor.end();
  const MonitorSummary summary = monitor.summary();
  EXPECT_GE(summary.samples, 3U);
  EXPECT_EQ(summary.written, summary.samples);
  EXPECT_EQ(rows_of(csv, "0").size(), summary.devices[0].rows);
  EXPECT_EQ(rows_of(csv, "0").back()[kStage], "embedding");
}

TEST_F(MonitorTest, NeedsNoFile) {
  MonitorSettings without = settings({});
  without.csv.path.clear();
  summary_after(2, without);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(MonitorTest, KnowsHowMuchOfTheProcessorsWasUsed) {
  MonitorSettings fake = settings({});
  fake.proc = folder.path();
  std::filesystem::create_directory(folder.path() / "self");
  const auto use = [&](int hundredths) {
    const std::filesystem::path stat = folder.path() / "self/stat";
    std::ofstream(stat.string() + ".new")
        << "7 (x) S 1 1 1 0 0 0 0 0 0 0 " << hundredths << " 0 0 0 20 0 1 0 1 1 10 0\n";
    std::filesystem::rename(stat.string() + ".new", stat);
  };
  use(100);
  const Monitor monitor(fake);
  wait_for_samples(monitor, 3);
  EXPECT_EQ(monitor.summary().host.whole().cpu_percent.maximum, 0);
  use(1000000);
  wait_for_samples(monitor, 3);
  EXPECT_GT(monitor.summary().host.whole().cpu_percent.maximum, 100);
  use(100);  // a worker that ended and is not yet counted
  wait_for_samples(monitor, 3);
  EXPECT_EQ(monitor.summary().host.whole().cpu_percent.minimum, 0);
}

TEST_F(MonitorTest, LeavesAFileThatIsWholeAfterEverySample) {
  const FakeDriver driver(kWholeGpu);
  MonitorSettings slow = settings({"GPU-1"});
  slow.interval = milliseconds(30);
  const Monitor monitor(slow);
  for (std::uint64_t samples = 1; samples < 10; ++samples) {
    wait_until([&] { return monitor.summary().samples >= samples; });
    EXPECT_GE(rows_of(csv).size(), 2 * samples);
  }
}

TEST_F(MonitorTest, LeavesAWholeFileWhenItsProcessIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Monitor monitor(settings({}));
    while (true) ::pause();
  }
  wait_until([&] {
    std::error_code missing;
    return std::filesystem::file_size(csv, missing) > 4000 && !missing;
  });
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(rows_of(csv, "-1").size(), 10U);
}

TEST_F(MonitorTest, EndsAtOnceWithinALongInterval) {
  const FakeDriver driver(kWholeGpu);
  MonitorSettings slow = settings({"GPU-1"});
  slow.interval = std::chrono::hours(1);
  auto start = steady_clock::now();
  {
    const Monitor monitor(slow);
    wait_until([&] { return monitor.summary().samples == 1; });
    start = steady_clock::now();
  }
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_TRUE(driver.was_shut_down());
  EXPECT_THAT(warnings, IsEmpty());
}

// Each call that may never return has its own test, because the abandoned thread stays in the fake.
struct HangingDriverTest : MonitorTest, testing::WithParamInterface<const char*> {};

TEST_P(HangingDriverTest, IsLeftBehind) {
  const FakeDriver driver(GetParam());
  auto start = steady_clock::now();
  {
    Monitor monitor(settings({"GPU-1"}));
    wait_until([&] { return driver.hangs(); });
    start = steady_clock::now();
    monitor.enter(Phase::kTables);
    EXPECT_LE(monitor.summary().samples, 1U);
  }
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_THAT(
      warnings,
      ElementsAre(
          "the last measurement of the GPUs and this machine did not end in time and is missing"));
  EXPECT_FALSE(driver.was_shut_down());
}

INSTANTIATE_TEST_SUITE_P(Calls, HangingDriverTest,
                         testing::Values("driver init hang", "GPU-1 memory 1/9 hang"));

TEST_F(MonitorTest, MayBeAskedFromEveryThread) {
  const FakeDriver driver(kWholeGpu);
  Monitor monitor(settings({"GPU-1"}));
  std::vector<std::thread> threads;
  for (const Phase phase : {Phase::kStart, Phase::kEmbedding, Phase::kTables}) {
    threads.emplace_back([&monitor, phase] {
      for (int i = 0; i < 50; ++i) {
        monitor.enter(phase);
        monitor.record(hour_of_esm2(0, steady_clock::now()));
        EXPECT_EQ(monitor.summary().devices.size(), 1U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  wait_for_samples(monitor, 1);
}

}  // namespace
}  // namespace virnucpro
