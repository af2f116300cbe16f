#pragma once

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ops/cpu.hpp"

// Skips a test if the machine lacks something, such as an instruction set; there is no other way to
// skip. `what` is the name of the thing; the reported reason is "needs NAME".
#define VIRNUCPRO_NEEDS(has, what)                  \
  do {                                              \
    if (!(has)) GTEST_SKIP() << "needs " << (what); \
  } while (false)

#define VIRNUCPRO_NEEDS_AVX512_BF16() VIRNUCPRO_NEEDS(computes_in_bf16(), "AVX512_BF16")

namespace virnucpro {

// True if the program computes in bf16; with ONEDNN_MAX_CPU_ISA=AVX2 it acts as on old processors.
inline bool computes_in_bf16() {
  try {
    cpu_kernel_path(Precision::kBf16);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace virnucpro
