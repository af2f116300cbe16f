#include "base/host.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

using ProcessorSet = std::array<cpu_set_t, 16>;  // 16 sets of 1,024 processors
constexpr std::uint64_t kMostProcessors = sizeof(ProcessorSet) * 8;

// Adds one item of a kernel's list of processors: "0-15" or "7".
void add_range(std::string_view range, ProcessorSet& processors) {
  const std::size_t dash = range.find('-');
  const auto first = parse_count(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_count(range.substr(dash + 1));
  if (!first || !last || *last >= kMostProcessors) return;
  for (std::uint64_t processor = *first; processor <= *last; ++processor) {
    CPU_SET_S(processor, sizeof processors, processors.data());
  }
}

ProcessorSet read_list(const std::filesystem::path& file) {
  ProcessorSet processors{};
  std::string list;
  std::getline(std::ifstream(file), list);  // empty if the file cannot be read
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    add_range(rest.substr(0, comma), processors);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return processors;
}

std::size_t allowed_processors() {
  ProcessorSet sets{};
  if (::sched_getaffinity(0, sizeof sets, sets.data()) != 0) {
    return std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  }
  const int count = CPU_COUNT_S(sizeof sets, sets.data());
  return static_cast<std::size_t>(std::max(count, 1));
}

namespace fs = std::filesystem;

// The most bytes read from mountinfo (thousands of mounts), from cgroup, and from a limit's file.
constexpr std::size_t kMostMounts = 1U << 20U;
constexpr std::size_t kMostGroups = 64U << 10U;
constexpr std::size_t kMostOfALimit = 4096;
// A limit of this value or more means "no limit". cgroup v1 then writes the largest multiple of the
// page size.
constexpr std::uint64_t kNoLimitFrom = std::uint64_t{1} << 62U;

// The folder with this process's files of a cgroup controller, such as memory.
struct GroupPlace {
  bool is_v2 = false;
  fs::path mount{};
  fs::path group{};  // relative to `mount`

  // Returns the group's folder and its parents, up to the mount.
  std::vector<fs::path> folders() const {
    std::vector<fs::path> found;
    for (fs::path part = group; !part.empty(); part = part.parent_path()) {
      found.push_back(mount / part);
    }
    found.push_back(mount);
    return found;
  }
};

bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = split_list(list);
  return std::ranges::find(words, word) != words.end();
}

// Decodes a path of mountinfo, in which some bytes are octal: a blank is \040 (proc(5)).
std::string unescaped(std::string_view text) {
  const auto is_octal = [](char letter) { return letter >= '0' && letter <= '7'; };
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(i + 1, 3);
    if (text[i] != '\\' || digits.size() < 3 || !std::ranges::all_of(digits, is_octal)) {
      path += text[i];
      continue;
    }
    path += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
    i += digits.size();
  }
  return path;
}

// A group of this process, from /proc/self/cgroup.
struct NamedGroup {
  bool is_v2 = false;
  std::string path{};
};

// Reads lines "HIERARCHY:CONTROLLERS:GROUP". Prefers the line of cgroup v1 with this controller.
// The line of cgroup v2 has no controllers.
std::optional<NamedGroup> named_group(std::string_view lines, std::string_view controller) {
  std::optional<NamedGroup> found;
  for (const std::string_view line : split_list(lines, '\n')) {
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (has_word(controllers, controller)) return NamedGroup{.is_v2 = false, .path = path};
    if (controllers.empty() && line.substr(0, first) == "0") found = {.is_v2 = true, .path = path};
  }
  return found;
}

// Returns a group's path relative to `root`, the group at the top of a mount; empty if the group
// lies outside `root`.
std::optional<fs::path> below(const std::string& group, const std::string& root) {
  const std::string prefix = root == "/" ? root : root + "/";
  if (group == root) return fs::path();
  if (!group.starts_with(prefix)) return std::nullopt;
  const fs::path relative = group.substr(prefix.size());
  // A group outside the namespace's root is written as "/../..".
  if (std::ranges::find(relative, "..") != relative.end()) return std::nullopt;
  return relative;
}

// Reads a line of mountinfo: "36 35 98:0 ROOT MOUNT OPTIONS [OPTIONAL …] - TYPE SOURCE OPTIONS".
std::optional<GroupPlace> place_in_mount(std::string_view line, std::string_view controller,
                                         const NamedGroup& group, const fs::path& root) {
  constexpr std::size_t kRoot = 3;
  constexpr std::size_t kMount = 4;
  const std::vector<std::string_view> fields = split_list(line, ' ');
  const auto dash = std::ranges::find(fields, "-");
  if (fields.size() <= kMount || fields.end() - dash < 4) return std::nullopt;
  const std::string_view type = dash[1];
  const bool is_it =
      group.is_v2 ? type == "cgroup2" : type == "cgroup" && has_word(dash[3], controller);
  if (!is_it) return std::nullopt;
  return GroupPlace{.is_v2 = group.is_v2,
                    .mount = root / fs::path(unescaped(fields[kMount])).relative_path(),
                    // In a container the top of the mount may be this group, under another name.
                    .group = below(group.path, unescaped(fields[kRoot])).value_or(fs::path())};
}

std::optional<GroupPlace> find_place(std::string_view controller, const fs::path& root) {
  const std::string groups = beginning_of(root / "proc/self/cgroup", kMostGroups);
  const auto group = named_group(groups, controller);
  if (!group) return std::nullopt;
  const std::string mounts = beginning_of(root / "proc/self/mountinfo", kMostMounts);
  std::optional<GroupPlace> found;
  for (const std::string_view line : split_list(mounts, '\n')) {
    const auto place = place_in_mount(line, controller, *group, root);
    // A hierarchy may have several mounts: prefer a mount with the group's folder below its top.
    if (place && (!found || found->group.empty())) found = place;
  }
  return found;
}

std::string first_line(const fs::path& file) {
  const std::string text = beginning_of(file, kMostOfALimit);
  return text.substr(0, text.find('\n'));
}

std::optional<std::uint64_t> read_number(const fs::path& file) {
  return parse_count(first_line(file));
}

template <typename T>
void lower_to(std::optional<T>& limit, std::optional<T> other) {
  if (other) limit = std::min(limit.value_or(*other), *other);
}

// Converts a quota and its period, both in microseconds, to a number of processors.
std::optional<std::size_t> processors_of(std::string_view quota, std::string_view period) {
  const auto time = parse_count(quota);  // empty for "max" and "-1"
  const auto whole = parse_count(period);
  if (!time || !whole || *whole == 0) return std::nullopt;
  const std::uint64_t rounded_up = *time / *whole + (*time % *whole == 0 ? 0 : 1);
  return static_cast<std::size_t>(std::max<std::uint64_t>(rounded_up, 1));
}

std::optional<std::size_t> processors_in(const fs::path& folder, bool is_v2) {
  if (!is_v2) {
    return processors_of(first_line(folder / "cpu.cfs_quota_us"),
                         first_line(folder / "cpu.cfs_period_us"));
  }
  const std::string line = first_line(folder / "cpu.max");
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return std::nullopt;
  return processors_of(std::string_view(line).substr(0, blank),
                       std::string_view(line).substr(blank + 1));
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::size_t usable_processors(const std::filesystem::path& root) {
  const std::size_t allowed = allowed_processors();
  return std::min(allowed, read_control_group(root).processors.value_or(allowed));
}

void stay_near_device(const std::string& pci, const std::filesystem::path& system) {
  if (pci.empty()) return;
  ProcessorSet near = read_list(system / "bus/pci/devices" / pci / "local_cpulist");
  ProcessorSet usable{};
  if (::sched_getaffinity(0, sizeof usable, usable.data()) != 0) return;
  CPU_AND_S(sizeof near, near.data(), near.data(), usable.data());
  if (CPU_COUNT_S(sizeof near, near.data()) == 0) return;
  // A failure is ignored: the thread then keeps all its processors.
  static_cast<void>(::sched_setaffinity(0, sizeof near, near.data()));
}

ControlGroup read_control_group(const fs::path& root) {
  ControlGroup group;
  if (const auto place = find_place("cpu", root)) {
    for (const fs::path& folder : place->folders()) {
      lower_to(group.processors, processors_in(folder, place->is_v2));
    }
  }
  const auto memory = find_place("memory", root);
  if (!memory) return group;
  const char* const limit = memory->is_v2 ? "memory.max" : "memory.limit_in_bytes";
  const char* const peak = memory->is_v2 ? "memory.peak" : "memory.max_usage_in_bytes";
  for (const fs::path& folder : memory->folders()) {
    if (!group.memory_peak) group.memory_peak = read_number(folder / peak);
    const auto bytes = read_number(folder / limit);
    if (bytes && *bytes < kNoLimitFrom) lower_to(group.memory_limit, bytes);
  }
  return group;
}

bool has_room(std::size_t bytes) {
  const int before = errno;
  void* const tried =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (tried != MAP_FAILED) ::munmap(tried, bytes);
  errno = before;
  return tried != MAP_FAILED;
}

}  // namespace virnucpro
