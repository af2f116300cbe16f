#include "observe/host_usage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// The limit for reading a file, in bytes. The files of /proc that are read here are smaller.
constexpr std::size_t kMostBytes = 64U << 10U;

// Returns a file's text; empty if reading fails, for example because the process has ended.
std::string read_text(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  while (text.size() < kMostBytes) {
    const ssize_t got = ::read(fd.get(), part.data(), part.size());
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// Returns the text before the first `end` in `rest`. Removes that text and `end` from `rest`.
std::string_view next_field(std::string_view& rest, char end) {
  const std::size_t size = std::min(rest.find(end), rest.size());
  const std::string_view field = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return field;
}

// Returns the value in the line "name: value"; a unit may follow the value.
std::optional<std::uint64_t> number_of(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    std::string_view line = next_field(lines, '\n');
    if (next_field(line, ':') != name) continue;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return parse_count(next_field(line, ' '));
  }
  return std::nullopt;
}

struct ProcessStat {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;
  std::uint64_t ticks = 0;      // clock ticks of its threads and of its ended children
  std::uint64_t rss_pages = 0;  // resident memory, in pages
};

// Parses /proc/ID/stat (proc(5)). The second field is a name in parentheses. The name may contain
// blanks and parentheses, so the last parenthesis is its end.
std::optional<ProcessStat> parse_stat(std::string_view text) {
  constexpr std::size_t kParent = 4;
  constexpr std::size_t kFirstTime = 14;  // utime, stime, cutime, cstime
  constexpr std::size_t kLastTime = 17;
  constexpr std::size_t kRss = 24;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  ProcessStat stat;
  std::string_view rest = text.substr(name_end + 1);
  next_field(rest, ' ');
  const auto id = parse_count(text.substr(0, text.find(' ')));
  if (!id) return std::nullopt;
  stat.id = *id;
  for (std::size_t field = 3; field <= kRss; ++field) {
    const auto value = parse_count(next_field(rest, ' '));
    const bool is_time = field >= kFirstTime && field <= kLastTime;
    if (!is_time && field != kParent && field != kRss) continue;
    if (!value) return std::nullopt;
    if (is_time) stat.ticks += *value;
    if (field == kParent) stat.parent = *value;
    if (field == kRss) stat.rss_pages = *value;
  }
  return stat;
}

std::optional<ProcessStat> read_stat(const fs::path& process) {
  return parse_stat(read_text(process / "stat"));
}

// Calls `each` with the path of every process or thread in a folder.
template <typename Each>
void for_each_numbered(const fs::path& folder, const Each& each) {
  std::error_code gone;
  fs::directory_iterator entry(folder, gone);
  for (; !gone && entry != fs::directory_iterator(); entry.increment(gone)) {
    if (parse_count(entry->path().filename().string())) each(entry->path());
  }
}

// Returns the child processes from the lists that the kernel keeps for each thread.
std::vector<fs::path> listed_children(const fs::path& proc) {
  std::vector<fs::path> children;
  for_each_numbered(proc / "self/task", [&](const fs::path& thread) {
    const std::string text = read_text(thread / "children");
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view id = next_field(rest, ' ');
      if (parse_count(id)) children.push_back(proc / id);
    }
  });
  return children;
}

// Returns the child processes by reading every process's parent, which takes some milliseconds.
std::vector<fs::path> found_children(const fs::path& proc, std::uint64_t parent) {
  std::vector<fs::path> children;
  for_each_numbered(proc, [&](const fs::path& process) {
    const auto stat = read_stat(process);
    if (stat && stat->parent == parent) children.push_back(process);
  });
  return children;
}

std::vector<fs::path> children_of(const fs::path& proc, std::uint64_t parent) {
  std::error_code unknown;
  const fs::path list = proc / "self/task" / std::to_string(parent) / "children";
  return fs::exists(list, unknown) ? listed_children(proc) : found_children(proc, parent);
}

template <typename T>
void add_to(std::optional<T>& sum, std::optional<T> value) {
  if (value) sum = sum.value_or(T{}) + *value;
}

void add_process(HostUsage& usage, const fs::path& process) {
  const auto stat = read_stat(process);
  if (!stat) return;  // the process has ended
  const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  add_to(usage.cpu_seconds, std::optional(static_cast<double>(stat->ticks) / tick));
  add_to(usage.rss_bytes, std::optional(stat->rss_pages * page));
  const std::string transfers = read_text(process / "io");
  add_to(usage.read_bytes, number_of(transfers, "read_bytes"));
  add_to(usage.written_bytes, number_of(transfers, "write_bytes"));
}

}  // namespace

HostUsage read_host_usage(const fs::path& proc) {
  HostUsage usage;
  const auto self = read_stat(proc / "self");
  if (!self) return usage;
  add_process(usage, proc / "self");
  for (const fs::path& child : children_of(proc, self->id)) add_process(usage, child);
  if (const auto peak = number_of(read_text(proc / "self/status"), "VmHWM")) {
    usage.peak_rss_bytes = *peak << 10U;
  }
  return usage;
}

}  // namespace virnucpro
