#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace virnucpro {

// What the control group (cgroup) of this process allows it and used: that of a container or of a
// batch job. All processes of a group share its limits, and those of the groups above it.
struct ControlGroup {
  // The quota of processor time as whole processors, rounded up, at least 1; empty: none.
  std::optional<std::size_t> processors{};
  std::optional<std::uint64_t> memory_limit{};  // bytes; empty: none
  std::optional<std::uint64_t> memory_peak{};   // bytes; empty where the kernel does not tell
};

// Of version 2 (cpu.max, memory.max, memory.peak) and 1 (cpu.cfs_quota_us and cpu.cfs_period_us,
// memory.limit_in_bytes, memory.max_usage_in_bytes), by /proc/self/cgroup and
// /proc/self/mountinfo. A limit is the smallest of the group's and of those above it, as far as
// they are mounted. What cannot be read or understood is no limit. `root` is where the file system
// begins.
ControlGroup read_control_group(const std::filesystem::path& root = "/");

}  // namespace virnucpro
