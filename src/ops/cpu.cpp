#include "ops/cpu.hpp"

#include "base/error.hpp"
#include "ops/onednn.hpp"

namespace virnucpro {
namespace {

// Returns an error that advises fp32, because the usual advice would be another processor.
Error without_bf16() {
  return Error(ErrorKind::kCpu, "bf16 needs the instructions AVX512_BF16; fp32 does not")
      .advised(
          "Compute in fp32 (--precision fp32, or run.precision in the configuration), or on a "
          "processor with AVX512_BF16.");
}

}  // namespace

std::string_view cpu_kernel_path(Precision precision) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !has_isa(dnnl_cpu_isa_avx2)) {
    throw Error(
        ErrorKind::kCpu,
        "AVX2 or FMA is missing, or the environment variable ONEDNN_MAX_CPU_ISA forbids AVX2: "
        "if the variable is set, unset it");
  }
  if (precision == Precision::kBf16) {
    if (has_isa(dnnl_cpu_isa_avx512_core_amx)) return "cpu-amx-bf16";
    if (has_isa(dnnl_cpu_isa_avx512_core_bf16)) return "cpu-avx512-bf16";
    throw without_bf16();
  }
  return has_isa(dnnl_cpu_isa_avx512_core) ? "cpu-avx512" : "cpu-avx2";
}

}  // namespace virnucpro
