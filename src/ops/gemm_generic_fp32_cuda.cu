#include "ops/gemm_generic_cuda.cuh"

namespace virnucpro::cuda {

void gemm_generic_fp32(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  gemm_generic<float>(call, epilogue, stream);
}

}  // namespace virnucpro::cuda
