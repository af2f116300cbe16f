#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace virnucpro {

// How many processors this process may use, at least 1. Its affinity (taskset, a batch system's
// cpuset) may allow fewer than the machine has, and the quota of its control group fewer still.
// `root`: for tests, replaces /.
std::size_t usable_processors(const std::filesystem::path& root = "/");

// Restricts the calling thread, and threads it starts later, to the processors of the NUMA node of
// a PCI device ("0000:3b:00.0"). Nothing changes where these are unknown or none of them may be
// used. `system`: for tests, replaces /sys.
void stay_near_device(const std::string& pci, const std::filesystem::path& system = "/sys");

}  // namespace virnucpro
