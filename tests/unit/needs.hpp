#pragma once

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ops/cpu.hpp"

// The only way to skip a test: the machine lacks something it needs, such as an instruction set.
// `what` is its name; the reported reason is "needs NAME".
#define VIRNUCPRO_NEEDS(has, what)                  \
  do {                                              \
    if (!(has)) GTEST_SKIP() << "needs " << (what); \
  } while (false)

#define VIRNUCPRO_NEEDS_AVX512_BF16() VIRNUCPRO_NEEDS(computes_in_bf16(), "AVX512_BF16")

namespace virnucpro {

// Decided by the program, so that ONEDNN_MAX_CPU_ISA=AVX2 tests it as on an older processor.
inline bool computes_in_bf16() {
  try {
    cpu_kernel_path(Precision::kBf16);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace virnucpro
