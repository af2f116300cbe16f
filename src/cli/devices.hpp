#pragma once

#include <optional>
#include <string>

namespace virnucpro {

// What this machine can compute on, a line each: the CPU, then the GPUs or why there is none.
std::string describe_devices();

// One of them: a GPU by its index, or the CPU.
std::string describe_device(std::optional<int> gpu);

// Which CUDA this program has, and which driver it needs: "13.0, for driver 580 or newer"; or that
// it has none.
std::string describe_cuda();

}  // namespace virnucpro
