#pragma once

#include <string_view>

#include "ops/context.hpp"

namespace virnucpro {

// Which code computes on this processor: "cpu-avx2", "cpu-avx512", "cpu-avx512-bf16". Results are
// the same bytes within one path. It follows what oneDNN will use, ONEDNN_MAX_CPU_ISA included.
// Errors: kCpu without AVX2 and FMA, or for kBf16 without AVX512_BF16.
std::string_view cpu_kernel_path(Precision precision);

}  // namespace virnucpro
