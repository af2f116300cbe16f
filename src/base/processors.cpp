#include "base/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/control_group.hpp"
#include "base/text.hpp"

namespace virnucpro {
namespace {

using ProcessorSet = std::array<cpu_set_t, 16>;  // 16 sets of 1,024 processors
constexpr std::uint64_t kMostProcessors = sizeof(ProcessorSet) * 8;

// Adds one part of a list as the kernel writes it: "0-15" or "7".
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

}  // namespace

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
  // If the system refuses this, nothing changes.
  static_cast<void>(::sched_setaffinity(0, sizeof near, near.data()));
}

}  // namespace virnucpro
