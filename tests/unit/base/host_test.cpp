#include "base/host.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "base/directory.hpp"

namespace virnucpro {
namespace {

// A folder like /sys with one device.
struct StayNear : testing::Test {
  // The processors that a thread may use after it was restricted to those near the device.
  std::size_t usable_near(const std::string& list, const std::string& pci = "0000:3b:00.0") {
    const auto device = system.path() / "bus/pci/devices/0000:3b:00.0";
    std::filesystem::create_directories(device);
    std::ofstream(device / "local_cpulist") << list << "\n";
    std::size_t count = 0;
    std::thread([&] {
      stay_near_device(pci, system.path());
      count = usable_processors();
    }).join();
    return count;
  }
  static std::string first_processor() {
    cpu_set_t usable;
    EXPECT_EQ(::sched_getaffinity(0, sizeof usable, &usable), 0);
    int first = 0;
    while (!CPU_ISSET(static_cast<std::size_t>(first), &usable)) ++first;
    return std::to_string(first);
  }

  TemporaryFolder system;
  const std::size_t all = usable_processors();
};

TEST_F(StayNear, KeepsToTheProcessorsOfTheDevice) {
  EXPECT_EQ(usable_near(first_processor()), 1U);
  EXPECT_EQ(usable_near(first_processor() + ",16000-16001"), 1U);
  EXPECT_EQ(usable_near("0-16383"), all);
}

TEST_F(StayNear, ChangesNothingWhereNoneIsKnownOrMayBeUsed) {
  for (const char* list : {"", "x", "16000", "3-", "-", "99999999999", ",,", "0-99999999999"}) {
    EXPECT_EQ(usable_near(list), all) << list;
  }
  EXPECT_EQ(usable_near("0", ""), all);
  EXPECT_EQ(usable_near("0", "0000:00:00.0"), all);
}

namespace fs = std::filesystem;

constexpr const char* kV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

// A file system with a /proc and a /sys as recorded on Linux 4.18 and 6.1.
struct ControlGroups : testing::Test {
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root.path() / file).parent_path());
    std::ofstream(root.path() / file) << text;
  }
  void set(const std::string& groups, const std::string& mounts) const {
    write("proc/self/cgroup", groups);
    write("proc/self/mountinfo", "22 28 0:20 / /proc rw - proc proc rw\n" + mounts);
  }
  ControlGroup group() const { return read_control_group(root.path()); }
  bool is_unlimited() const { return !group().processors && !group().memory_limit; }

  TemporaryFolder root;
};

TEST_F(ControlGroups, OfVersion2HaveTheSmallestLimitsUpToTheMount) {
  set("0::/batch/job_7/task_0\n", kV2);
  const fs::path job = "sys/fs/cgroup/batch/job_7";
  write(job / "task_0/memory.peak", "5368709120\n");
  write(job / "task_0/memory.max", "max\n");
  write(job / "task_0/cpu.max", "max 100000\n");
  write(job / "memory.peak", "6368709120\n");
  write(job / "memory.max", "8589934592\n");
  write(job / "cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/batch/memory.max", "68719476736\n");
  write("sys/fs/cgroup/batch/cpu.max", "1600000 100000\n");
  EXPECT_EQ(group().memory_peak, 5368709120U);
  EXPECT_EQ(group().memory_limit, 8589934592U);
  EXPECT_EQ(group().processors, 3U);
}

TEST_F(ControlGroups, OfVersion1AreFoundByTheirControllers) {
  set("9:name=systemd:/\n5:memory:/slurm/job_7\n4:cpu,cpuacct:/slurm/job_7/step_0\n0::/\n",
      "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  const fs::path cpu = "sys/fs/cgroup/cpu,cpuacct/slurm/job_7";
  write(cpu / "step_0/cpu.cfs_quota_us", "-1\n");
  write(cpu / "step_0/cpu.cfs_period_us", "100000\n");
  write(cpu / "cpu.cfs_quota_us", "400000\n");
  write(cpu / "cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "4294967296\n");
  write("sys/fs/cgroup/memory/slurm/job_7/memory.max_usage_in_bytes", "1234\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/unified/memory.max", "1\n");
  EXPECT_EQ(group().processors, 4U);
  EXPECT_EQ(group().memory_limit, 4294967296U);
  EXPECT_EQ(group().memory_peak, 1234U);
}

TEST_F(ControlGroups, OfAContainerBeginAtItsMount) {
  // The path as on the host; the mount shows this group alone, or one with a name to be escaped.
  const char* const names[] = {"/kubepods/pod1/ab", "/a\\040b", "/elsewhere"};
  for (const char* const name : names) {
    set("0::/kubepods/pod1/ab\n",
        std::string("30 23 0:26 ") + name + " /sys/fs/cg\\040roup rw - cgroup2 cgroup2 rw\n");
    write("sys/fs/cg roup/memory.max", "99\n");
    write("sys/fs/cg roup/cpu.max", "50000 100000\n");
    EXPECT_EQ(group().memory_limit, 99U) << name;
    EXPECT_EQ(group().processors, 1U) << name;
  }
}

TEST_F(ControlGroups, OfSeveralMountsAreTakenFromTheOneThatShowsThem) {
  set("0::/job/task\n",
      "29 23 0:26 /other /mnt/other rw - cgroup2 cgroup2 rw\n" +
          ("31 23 0:26 /job /mnt/job rw - cgroup2 cgroup2 rw\n" + std::string(kV2)));
  write("mnt/other/memory.max", "1\n");
  write("mnt/job/task/memory.max", "7\n");
  EXPECT_EQ(group().memory_limit, 7U);
}

TEST_F(ControlGroups, AreNoLimitWhereTheyAreUnknown) {
  EXPECT_TRUE(is_unlimited());
  write("sys/fs/cgroup/memory.max", "max\n");
  for (const char* groups :
       {"", "\n", "::::", "0::", "0", "4:memory:", "4:memory", "0::/../..\n"}) {
    set(groups, kV2);
    EXPECT_TRUE(is_unlimited()) << groups;
  }
  for (const char* mounts :
       {"", "\n", "-", "- - - -", "30 23 0:26 / /sys/fs/cgroup - cgroup2",
        "30 23 0:26 / - cgroup2 cgroup2 rw", "30 23 0:26 / /x rw - ext4 a rw"}) {
    set("0::/\n", mounts);
    EXPECT_TRUE(is_unlimited()) << mounts;
  }
}

TEST_F(ControlGroups, AreNoLimitWhereTheyAreNotUnderstood) {
  set("0::/\n", kV2);
  for (const char* quota : {"", "max", "-1 100000", "100000", "100000 0", "100000 x", "x 100000",
                            "99999999999999999999 100000", "100000\n100000"}) {
    write("sys/fs/cgroup/cpu.max", quota);
    EXPECT_TRUE(is_unlimited()) << quota;
  }
  for (const char* limit : {"", "max", "-1", "1G", "99999999999999999999"}) {
    write("sys/fs/cgroup/memory.max", limit);
    EXPECT_TRUE(is_unlimited()) << limit;
  }
}

TEST_F(ControlGroups, GiveAtLeastOneProcessorAndRoundUp) {
  set("0::/\n", kV2);
  for (const auto& [line, processors] :
       {std::pair{"1000 100000", 1U}, std::pair{"0 100000", 1U}, std::pair{"100000 100000", 1U},
        std::pair{"100001 100000", 2U}}) {
    write("sys/fs/cgroup/cpu.max", line);
    EXPECT_EQ(group().processors, processors) << line;
  }
}

TEST_F(ControlGroups, LowerTheNumberOfThreadsAndNeverRaiseIt) {
  const std::size_t without = usable_processors(root.path());
  set("0::/\n", kV2);
  write("sys/fs/cgroup/cpu.max", "90000000 100000\n");
  EXPECT_EQ(usable_processors(root.path()), std::min<std::size_t>(without, 900));
  write("sys/fs/cgroup/cpu.max", "30000 100000\n");
  EXPECT_EQ(usable_processors(root.path()), 1U);
}

TEST(ControlGroupOfThisProcess, CanBeRead) {
  const ControlGroup group = read_control_group();
  EXPECT_GT(group.processors.value_or(1), 0U);
  EXPECT_GT(group.memory_limit.value_or(1), 0U);
}

TEST(MemoryRoom, IsWhatTheSystemWouldGive) {
  errno = EDOM;
  EXPECT_TRUE(has_room(1U << 20U));
  EXPECT_FALSE(has_room(std::size_t{1} << 62U));
  EXPECT_FALSE(memory_is_scarce());
  EXPECT_EQ(errno, EDOM);
}

}  // namespace
}  // namespace virnucpro
