#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace virnucpro {

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

}  // namespace virnucpro
