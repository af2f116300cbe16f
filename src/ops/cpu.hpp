#pragma once

#include <string_view>

#include "ops/context.hpp"

namespace virnucpro {

// Returns the name of the code that computes on this processor: "cpu-avx2", "cpu-avx512"; in bf16
// "cpu-avx512-bf16" or, with AMX, whose sums have another order, "cpu-amx-bf16". Within one path
// results are the same bytes. The name includes the effect of ONEDNN_MAX_CPU_ISA: with
// AVX512_CORE_BF16 a processor with AMX takes the path of one without. Errors: kCpu without AVX2
// and FMA, or for kBf16 without AVX512_BF16.
std::string_view cpu_kernel_path(Precision precision);

}  // namespace virnucpro
