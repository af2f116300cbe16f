#pragma once

#include <string_view>

#include "ops/context.hpp"

namespace virnucpro {

// Returns the name of the code that computes on this processor: "cpu-avx2" or "cpu-avx512"; in bf16
// "cpu-avx512-bf16" or, with AMX, "cpu-amx-bf16", whose sums have another order. Code of one name
// gives the same bytes everywhere. ONEDNN_MAX_CPU_ISA counts: with AVX512_CORE_BF16, a processor
// does not use its AMX. Errors: kCpu without AVX2 and FMA, or for kBf16 without AVX512_BF16.
std::string_view cpu_kernel_path(Precision precision);

}  // namespace virnucpro
