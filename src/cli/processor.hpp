#pragma once

#include <string>

namespace virnucpro {

// "AMD EPYC 9454, 2 of 96 processors, 15.6 GiB memory, cpu-avx512, bf16: cpu-avx512-bf16": which
// code computes here (ops/cpu.hpp) comes last, "cpu-avx2, no bf16 (AVX512_BF16)" on an older one.
std::string describe_processor();

}  // namespace virnucpro
