#include "ops/gemm_generic_cuda.cuh"

namespace virnucpro::cuda {

void gemm_generic_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  gemm_generic<__nv_bfloat16>(call, epilogue, stream);
}

}  // namespace virnucpro::cuda
