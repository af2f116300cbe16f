#pragma once

#include <cstddef>
#include <string>

namespace virnucpro {

// Which code computes on this processor, by precision (ops/cpu.hpp): "cpu-avx512", or
// "cpu-avx512, bf16: cpu-avx512-bf16".
std::string processor_kernel_paths();

// How many processors this process may use: its affinity (taskset, a batch system's cpuset), which
// may be fewer than the machine has. At least 1.
std::size_t usable_processors();

// "AMD EPYC 9454, 2 of 96 processors, 15.6 GiB memory, cpu-avx512".
std::string describe_processor();

}  // namespace virnucpro
