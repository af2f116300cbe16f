#include "validate/measure/peak_memory.hpp"

#include <fcntl.h>
#include <malloc.h>

#include "base/file.hpp"
#include "observe/host_usage.hpp"

namespace virnucpro {
namespace {

// Resets the kernel's peak of resident memory (proc_pid_clear_refs(5)).
bool restart_peak() {
  const UniqueFd file(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  return file.get() >= 0 && write_all(file.get(), "5") == 0;
}

}  // namespace

std::optional<std::uint64_t> peak_memory_of(const std::function<void()>& work) {
  ::malloc_trim(0);  // reuse of freed pages would not be noticed
  const bool restarted = restart_peak();
  const auto before = read_host_usage().rss_bytes;
  work();
  const auto peak = read_host_usage().peak_rss_bytes;
  if (!restarted || !before || !peak) return std::nullopt;
  return *peak > *before ? *peak - *before : 0;
}

}  // namespace virnucpro
