#pragma once

#include <string>

namespace virnucpro {

// "AMD EPYC 9454, 2 of 96 processors, 15.6 GiB memory, cpu-avx512, bf16: cpu-avx512-bf16". The code
// in use (ops/cpu.hpp) comes last; on an older processor "cpu-avx2, no bf16 (AVX512_BF16)".
std::string describe_processor();

}  // namespace virnucpro
