#pragma once

#include <string>

namespace virnucpro {

// Which code computes on this processor, by precision (ops/cpu.hpp): "cpu-avx512", or
// "cpu-avx512, bf16: cpu-avx512-bf16".
std::string processor_kernel_paths();

// "AMD EPYC 9454, 2 of 96 processors, 15.6 GiB memory, cpu-avx512".
std::string describe_processor();

}  // namespace virnucpro
