#pragma once

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "ops/cpu.hpp"

// Skips a test if the machine lacks something, such as an instruction set. A test must not skip in
// any other way. `what` names the missing thing; the reported reason is "needs WHAT".
#define VIRNUCPRO_NEEDS(has, what)                  \
  do {                                              \
    if (!(has)) GTEST_SKIP() << "needs " << (what); \
  } while (false)

#define VIRNUCPRO_NEEDS_AVX512_BF16() VIRNUCPRO_NEEDS(computes_in_bf16(), "AVX512_BF16")

namespace virnucpro {

// True if the program computes in bf16. With ONEDNN_MAX_CPU_ISA=AVX2 it acts as on an old CPU.
inline bool computes_in_bf16() {
  try {
    cpu_kernel_path(Precision::kBf16);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace virnucpro
