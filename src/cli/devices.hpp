#pragma once

#include <optional>
#include <string>

namespace virnucpro {

// Returns a text such as "AMD EPYC 9454, 2 of 96 processors, 15.6 GiB memory, cpu-avx512, bf16:
// cpu-avx512-bf16", or "no bf16 (needs AVX512_BF16)" at its end. ops/cpu.hpp explains kernel paths.
std::string describe_processor();

// Returns a line for each device: the CPU, then the GPUs, or the reason why there is no GPU.
std::string describe_devices();

// Returns the line of one device: the GPU with this index, or the CPU if the index is empty.
std::string describe_device(std::optional<int> gpu);

// Returns the CUDA version and its driver, "13.0, for driver 580 or newer", or "not built in".
std::string describe_cuda();

}  // namespace virnucpro
