#include "observe/host_usage.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/directory.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1U << 20U;

// A /proc as recorded on Linux 6.1, with a few numbers changed.
struct HostUsageTest : testing::Test {
  fs::path proc() const { return folder.path() / "proc"; }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder.path() / file).parent_path());
    std::ofstream(folder.path() / file) << text;
  }
  // `times` are utime, stime, cutime and cstime, in hundredths of a second.
  void add_process(const std::string& folder_name, int id, int parent, const std::string& times,
                   int rss_pages, const std::string& name = "virnucpro") const {
    write("proc/" + folder_name + "/stat",
          fmt::format("{} ({}) S {} 501 500 34816 501 4194304 2190 11 0 0 {} 20 0 9 0 7061 "
                      "11284480 {} 18446744073709551615 94 95 14 0 0 0 0 4096 0 0 0 0 17 3 0 0\n",
                      id, name, parent, times, rss_pages));
    write("proc/" + folder_name + "/io",
          "rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\n"
          "read_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 77\n");
  }
  void add_self() const {
    add_process("self", 501, 500, "200 100 30 20", 1000, "odd) (name 7");
    write("proc/self/status",
          "Name:\tvirnucpro\nVmPeak:\t   11020 kB\nVmHWM:\t    9216 kB\nVmRSS:\t    4000 kB\n");
  }

  TemporaryFolder folder;
  const std::uint64_t page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
};

TEST_F(HostUsageTest, ReadsThisProcess) {
  add_self();
  const HostUsage usage = read_host_usage(proc());
  EXPECT_EQ(usage.cpu_seconds, 3.5);
  EXPECT_EQ(usage.rss_bytes, 1000 * page);
  EXPECT_EQ(usage.peak_rss_bytes, 9 * kMiB);
  EXPECT_EQ(usage.read_bytes, 4096U);
  EXPECT_EQ(usage.written_bytes, 8192U);
}

TEST_F(HostUsageTest, AddsItsChildrenWhereTheKernelListsThem) {
  add_self();
  write("proc/self/task/501/children", "601 602 ");
  write("proc/self/task/502/children", "603 ");  // of another thread
  write("proc/self/task/503/children", "");
  for (const int id : {601, 603, 604}) {
    add_process(std::to_string(id), id, 501, "100 0 0 0", 10);  // 602 has ended, 604 is not listed
  }
  const HostUsage usage = read_host_usage(proc());
  EXPECT_EQ(usage.cpu_seconds, 5.5);
  EXPECT_EQ(usage.rss_bytes, 1020 * page);
  EXPECT_EQ(usage.read_bytes, 3 * 4096U);
}

TEST_F(HostUsageTest, FindsItsChildrenWhereTheKernelDoesNot) {
  add_self();
  add_process("501", 501, 500, "200 100 30 20", 1000);
  add_process("601", 601, 501, "100 0 0 0", 10);
  add_process("701", 701, 601, "100 0 0 0", 10);  // a child's child
  add_process("801", 801, 1, "100 0 0 0", 10);
  fs::create_directories(proc() / "901");  // has ended
  write("proc/uptime", "1 1\n");
  const HostUsage usage = read_host_usage(proc());
  EXPECT_EQ(usage.cpu_seconds, 4.5);
  EXPECT_EQ(usage.written_bytes, 2 * 8192U);
}

TEST_F(HostUsageTest, LeavesEmptyWhatIsNotThere) {
  const HostUsage nothing = read_host_usage(proc());
  EXPECT_FALSE(nothing.cpu_seconds || nothing.rss_bytes || nothing.peak_rss_bytes);
  add_self();
  fs::remove(proc() / "self/io");
  fs::remove(proc() / "self/status");
  const HostUsage little = read_host_usage(proc());
  EXPECT_EQ(little.cpu_seconds, 3.5);
  EXPECT_FALSE(little.read_bytes || little.written_bytes || little.peak_rss_bytes);
}

TEST_F(HostUsageTest, LeavesEmptyWhatItDoesNotUnderstand) {
  add_self();
  std::ifstream in(proc() / "self/stat");
  std::string whole;
  std::getline(in, whole);
  const std::size_t rss_end = whole.find(" 18446744073709551615");
  for (std::size_t size = 0; size < rss_end - 4; ++size) {
    write("proc/self/stat", whole.substr(0, size));
    EXPECT_FALSE(read_host_usage(proc()).cpu_seconds) << whole.substr(0, size);
  }
  for (const char* text : {")", "x (y) S 1", "1 (y) S -1 -1 -1", "1 (", ") 1 (", "1 (y)"}) {
    write("proc/self/stat", text);
    EXPECT_FALSE(read_host_usage(proc()).cpu_seconds) << text;
  }
  write("proc/self/stat", whole);
  for (const char* text : {"read_bytes", "read_bytes:", "read_bytes: x", "read_bytes: -1",
                           "::::", "read_bytes: 99999999999999999999"}) {
    write("proc/self/io", text);
    EXPECT_FALSE(read_host_usage(proc()).read_bytes) << text;
  }
}

TEST_F(HostUsageTest, ReadsNoMoreThanAFileOfProcCanBe) {
  add_self();
  write("proc/self/io", std::string(1U << 20U, '\n') + "read_bytes: 1\n");
  EXPECT_FALSE(read_host_usage(proc()).read_bytes);
}

TEST_F(HostUsageTest, TellsOfTheProcessThatAsks) {
  std::vector<char> memory(8 * kMiB, 'x');
  const HostUsage usage = read_host_usage();
  EXPECT_GT(usage.rss_bytes, memory.size());
  EXPECT_GE(usage.peak_rss_bytes, usage.rss_bytes);
  EXPECT_TRUE(usage.cpu_seconds);
}

TEST_F(HostUsageTest, TellsOfALiveChild) {
  const auto before = read_host_usage().rss_bytes;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    ::close(pipe[1]);
    ::_exit(static_cast<int>(::read(pipe[0], &byte, 1)));
  }
  const auto during = read_host_usage().rss_bytes;
  ::close(pipe[1]);
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_GT(during, before);
}

}  // namespace
}  // namespace virnucpro
