#pragma once

// Code that all products with CUTLASS share.
#include <cutlass/array.h>
#include <cutlass/cutlass.h>

#include <string>

#include "base/error.hpp"
#include "ops/activation_cuda.cuh"
#include "ops/gemm_cuda.hpp"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

// Makes gelu() usable in CUTLASS's epilogues.
template <typename T>
struct Gelu {
  static constexpr bool kIsHeavy = true;
  CUTLASS_DEVICE T operator()(T x) const { return gelu(x); }
};

template <int N>
struct Gelu<cutlass::Array<float, N>> {
  static constexpr bool kIsHeavy = true;
  CUTLASS_DEVICE cutlass::Array<float, N> operator()(cutlass::Array<float, N> values) const {
    CUTLASS_PRAGMA_UNROLL
    for (int i = 0; i < N; ++i) values[i] = gelu(values[i]);
    return values;
  }
};

// Launches a CUTLASS kernel. Errors: kDevice if CUDA refuses the launch, kInternal if CUTLASS
// refuses the call.
template <class Adapter>
void run_cutlass(const typename Adapter::Arguments& arguments, const GemmCall& call,
                 cudaStream_t stream) {
  cutlass::Status status = Adapter::can_implement(arguments);
  if (status == cutlass::Status::kSuccess) {
    Adapter gemm;
    status = gemm(arguments, nullptr, stream);
  }
  if (status == cutlass::Status::kSuccess) return;
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for a dense layer");
  throw Error(ErrorKind::kInternal,
              "CUTLASS refuses a dense layer of " + std::to_string(call.inputs) + " inputs and " +
                  std::to_string(call.outputs) + " outputs: " + cutlassGetStatusString(status));
}

}  // namespace virnucpro::cuda
