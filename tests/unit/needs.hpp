#pragma once

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ops/cpu.hpp"

// The one way to skip a test: the machine lacks what it needs, say an instruction set that it
// computes with. "What" is a name, and the reason that is reported is "needs NAME".
#define VIRNUCPRO_NEEDS(has, what)                  \
  do {                                              \
    if (!(has)) GTEST_SKIP() << "needs " << (what); \
  } while (false)

#define VIRNUCPRO_NEEDS_AVX512_BF16() VIRNUCPRO_NEEDS(computes_in_bf16(), "AVX512_BF16")

namespace virnucpro {

// As the program decides it, so that ONEDNN_MAX_CPU_ISA=AVX2 tests what a lesser processor would
// do.
inline bool computes_in_bf16() {
  try {
    cpu_kernel_path(Precision::kBf16);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace virnucpro
