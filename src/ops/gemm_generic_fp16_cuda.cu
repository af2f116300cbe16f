#include "ops/gemm_generic_cuda.cuh"

namespace virnucpro::cuda {

void gemm_generic_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  gemm_generic<__half>(call, epilogue, stream);
}

}  // namespace virnucpro::cuda
