#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace virnucpro {

// How many processors this process may use: its affinity (taskset, a batch system's cpuset), which
// may be fewer than the machine has. At least 1.
std::size_t usable_processors();

// Keeps the calling thread, and those that it starts from now on, to the processors near a PCI
// device ("0000:3b:00.0"): those of its NUMA node. Where none of them may be used, or it is not
// known which they are, nothing changes. `system` is where Linux describes its devices.
void stay_near_device(const std::string& pci, const std::filesystem::path& system = "/sys");

}  // namespace virnucpro
