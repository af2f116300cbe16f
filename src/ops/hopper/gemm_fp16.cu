#include "ops/hopper/gemm.cuh"

namespace virnucpro::cuda {

void gemm_sm90_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  gemm_sm90<cutlass::half_t>(call, epilogue, stream);
}

}  // namespace virnucpro::cuda
