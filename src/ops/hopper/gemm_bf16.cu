#include "ops/hopper/gemm.cuh"

namespace virnucpro::cuda {

void gemm_sm90_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  gemm_sm90<cutlass::bfloat16_t>(call, epilogue, stream);
}

}  // namespace virnucpro::cuda
