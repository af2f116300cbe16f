#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace virnucpro {

// What this process and its live children (the workers) have taken of the machine so far; empty
// where the kernel does not tell. Time and bytes include those of children that have ended and been
// waited for, so that they do not fall when a worker is lost.
struct HostUsage {
  std::optional<double> cpu_seconds;            // of all threads, user and system
  std::optional<std::uint64_t> rss_bytes;       // resident now; what they share counts for each
  std::optional<std::uint64_t> peak_rss_bytes;  // the most that this process alone had resident
  std::optional<std::uint64_t> read_bytes;      // fetched from storage: not what was cached
  std::optional<std::uint64_t> written_bytes;   // sent to storage
};

// `proc` is where Linux describes its processes.
HostUsage read_host_usage(const std::filesystem::path& proc = "/proc");

// Memory of the control group that this process is in: of a container or a batch job, and so of all
// that is in it. Of cgroup v2 memory.peak and memory.max, of v1 memory.max_usage_in_bytes and
// memory.limit_in_bytes.
struct CgroupMemory {
  std::optional<std::uint64_t> peak_bytes;
  std::optional<std::uint64_t> limit_bytes;  // the smallest of it and the groups above; empty: none
};

// `system` is where Linux describes its devices and has its control groups.
CgroupMemory read_cgroup_memory(const std::filesystem::path& proc = "/proc",
                                const std::filesystem::path& system = "/sys");

}  // namespace virnucpro
