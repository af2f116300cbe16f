#pragma once

#include <optional>
#include <string>

namespace virnucpro {

// What this machine can compute on, a line each: the CPU, then the GPUs or why there is none.
std::string describe_devices();

// One of them: a GPU by its index, or the CPU.
std::string describe_device(std::optional<int> gpu);

}  // namespace virnucpro
