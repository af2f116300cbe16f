#pragma once

#include <cutlass/cutlass.h>

#include <string>

#include "base/error.hpp"
#include "ops/gemm_cuda.hpp"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

// Launches a CUTLASS kernel. Errors: kDevice if CUDA refuses the launch, kInternal if CUTLASS
// refuses the call.
template <class Adapter>
void run_gemm(const typename Adapter::Arguments& arguments, const GemmCall& call,
              cudaStream_t stream) {
  cutlass::Status status = Adapter::can_implement(arguments);
  if (status == cutlass::Status::kSuccess) {
    Adapter gemm;
    status = gemm(arguments, nullptr, stream);
  }
  if (status == cutlass::Status::kSuccess) return;
  check_cuda(cudaGetLastError(), "launch of a dense layer");
  throw Error(ErrorKind::kInternal, "a dense layer of " + std::to_string(call.inputs) +
                                        " inputs and " + std::to_string(call.outputs) +
                                        " outputs: " + cutlassGetStatusString(status));
}

}  // namespace virnucpro::cuda
