#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace virnucpro {

// The resources that this process and its live children (the workers) have used so far. Values that
// the kernel does not report are empty. The time and the bytes read and written include ended
// children that were waited for, so that these values do not fall when a worker is lost.
struct HostUsage {
  std::optional<double> cpu_seconds;            // user and system time of all threads
  std::optional<std::uint64_t> rss_bytes;       // resident; shared pages count once per process
  std::optional<std::uint64_t> peak_rss_bytes;  // the most resident bytes of this process alone
  std::optional<std::uint64_t> read_bytes;      // bytes read from storage, without cached data
  std::optional<std::uint64_t> written_bytes;   // bytes sent to storage
};

// `proc` is the mount point of Linux's /proc.
HostUsage read_host_usage(const std::filesystem::path& proc = "/proc");

}  // namespace virnucpro
