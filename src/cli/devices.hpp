#pragma once

#include <string>

namespace virnucpro {

// What this machine can compute on, a line each: the CPU, then the GPUs or why there is none.
std::string describe_devices();

}  // namespace virnucpro
