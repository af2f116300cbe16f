#pragma once

#include <optional>
#include <string>

namespace virnucpro {

// The devices of this machine, one per line: the CPU, then the GPUs or why there is none.
std::string describe_devices();

// One line of it: a GPU by its index, or the CPU.
std::string describe_device(std::optional<int> gpu);

// This program's CUDA version and the driver it needs: "13.0, for driver 580 or newer"; or that it
// was built without CUDA.
std::string describe_cuda();

}  // namespace virnucpro
