#pragma once

#include <string_view>

#include "ops/context.hpp"

namespace virnucpro {

// Names the code that computes on this processor: "cpu-avx2" or "cpu-avx512"; for bf16
// "cpu-avx512-bf16" or, with AMX, "cpu-amx-bf16". Code with the same name gives the same bytes on
// every machine. ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 in the environment excludes AMX. Errors: kCpu
// without AVX2 and FMA, or for kBf16 without AVX512_BF16.
std::string_view cpu_kernel_path(Precision precision);

}  // namespace virnucpro
