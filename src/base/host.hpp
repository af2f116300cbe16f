#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace virnucpro {

// Returns this machine's name from the kernel; "unknown" if the call fails.
std::string host_name();

// Returns how many processors this process may use, at least 1. Its affinity (taskset, a batch
// system's cpuset) may allow fewer than the machine has, and the quota of its control group fewer
// still. In tests `root` replaces /.
std::size_t usable_processors(const std::filesystem::path& root = "/");

// Restricts the calling thread, and threads it starts later, to the processors of a PCI device's
// NUMA node. `pci` is like "0000:3b:00.0". Changes nothing if these processors are unknown or none
// may be used. In tests `system` replaces /sys.
void stay_near_device(const std::string& pci, const std::filesystem::path& system = "/sys");

// The limits and the use of this process's control group (cgroup), for example in a container or
// batch job. All processes of a group share its limits and those of the groups above it.
struct ControlGroup {
  // The quota of processor time as whole processors, rounded up, at least 1; empty: no quota.
  std::optional<std::size_t> processors{};
  std::optional<std::uint64_t> memory_limit{};  // bytes; empty: no limit
  std::optional<std::uint64_t> memory_peak{};   // bytes; empty: not reported
};

// Reads cgroup version 2 (cpu.max, memory.max, memory.peak) or 1 (cpu.cfs_quota_us,
// cpu.cfs_period_us, memory.limit_in_bytes, memory.max_usage_in_bytes). Finds the group by
// /proc/self/cgroup and mountinfo: containers and old hosts mount it elsewhere. The smallest limit
// up to the mount counts. A file that cannot be read sets no limit. In tests `root` replaces /.
ControlGroup read_control_group(const std::filesystem::path& root = "/");

// True if the system would give this process `bytes` more memory now. A signal handler may call
// this function, which keeps errno.
bool has_room(std::size_t bytes);

// True if hardly any memory is left. A crash is then reported as a lack of memory, because it
// cannot be caught: oneDNN writes to memory that it did not get, and glibc aborts. The limit is
// above the requests at which libraries crash. A signal handler may call this function.
inline bool memory_is_scarce() {
  return !has_room(std::size_t{64} << 20U);
}

}  // namespace virnucpro
