#pragma once

#include <optional>
#include <string>

namespace virnucpro {

// Returns "AMD EPYC 9454, 2 of 96 processors, 15.6 GiB memory, cpu-avx512, bf16: cpu-avx512-bf16".
// The kernel paths (ops/cpu.hpp) come last; an old processor has "cpu-avx2, no bf16 (AVX512_BF16)".
std::string describe_processor();

// Lists this machine's devices, a line each: the CPU, then the GPUs or why there is none.
std::string describe_devices();

// Returns one device's line: a GPU's by its index, or the CPU's.
std::string describe_device(std::optional<int> gpu);

// Returns this program's CUDA version and its driver, "13.0, for driver 580 or newer", or that it
// was built without CUDA.
std::string describe_cuda();

}  // namespace virnucpro
