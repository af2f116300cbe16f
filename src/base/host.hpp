#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace virnucpro {

// Returns this machine's name from the kernel, or "unknown" if the call fails.
std::string host_name();

// Returns how many processors this process may use, at least 1: the smaller of its affinity (set by
// taskset or a batch system's cpuset) and its control group's quota. In tests `root` replaces /.
std::size_t usable_processors(const std::filesystem::path& root = "/");

// Restricts the calling thread, and threads that it starts later, to the processors of a PCI
// device's NUMA node. `pci` is like "0000:3b:00.0". If the node's processors are unknown, or this
// process may use none of them, nothing changes. In tests `system` replaces /sys.
void stay_near_device(const std::string& pci, const std::filesystem::path& system = "/sys");

// The limits and the memory use of this process's control group (cgroup), for example of a batch
// job. All processes of a group share its limits and those of the groups above it.
struct ControlGroup {
  // The quota of processor time in whole processors, rounded up, at least 1; empty: no quota.
  std::optional<std::size_t> processors{};
  std::optional<std::uint64_t> memory_limit{};  // bytes; empty: no limit
  std::optional<std::uint64_t> memory_peak{};   // bytes; empty: not reported
};

// Reads cgroup version 2 (cpu.max, memory.max, memory.peak) or 1 (cpu.cfs_quota_us,
// cpu.cfs_period_us, memory.limit_in_bytes, memory.max_usage_in_bytes). /proc/self/cgroup and
// mountinfo name the group's folder. The smallest limit of the group and the groups above it
// counts. A file that cannot be read sets no limit. In tests `root` replaces /.
ControlGroup read_control_group(const std::filesystem::path& root = "/");

// True if the system would now give this process `bytes` more memory. Does not change errno, so a
// signal handler may call this function.
bool has_room(std::size_t bytes);

// True if the system would not give 64 MiB of memory. The crash handler then reports a lack of
// memory, because without memory oneDNN crashes and glibc aborts. Their failing requests are
// smaller than 64 MiB. A signal handler may call this function.
inline bool memory_is_scarce() {
  return !has_room(std::size_t{64} << 20U);
}

}  // namespace virnucpro
