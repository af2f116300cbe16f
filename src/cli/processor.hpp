#pragma once

#include <string>

namespace virnucpro {

// The code that oneDNN chooses on this processor: "cpu-avx2", "cpu-avx512", "cpu-avx512-bf16", or
// "none" where it is too old (semantics: numerics class).
std::string processor_kernel_path();

// "AMD EPYC 9454, 2 processors, 15.6 GiB memory, cpu-avx512".
std::string describe_processor();

}  // namespace virnucpro
