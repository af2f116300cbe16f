#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace virnucpro {

// Returns how many processors this process may use, at least 1. Its affinity (taskset, a batch
// system's cpuset) may allow fewer than the machine has, and the quota of its control group fewer
// still. In tests `root` replaces /.
std::size_t usable_processors(const std::filesystem::path& root = "/");

// Restricts the calling thread, and threads it starts later, to the processors of a PCI device's
// NUMA node. `pci` is like "0000:3b:00.0". Changes nothing if these processors are unknown or none
// may be used. In tests `system` replaces /sys.
void stay_near_device(const std::string& pci, const std::filesystem::path& system = "/sys");

}  // namespace virnucpro
