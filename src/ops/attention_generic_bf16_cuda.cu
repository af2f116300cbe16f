#include "ops/attention_generic_cuda.cuh"

namespace virnucpro::cuda {

void attention_generic_bf16(const AttentionCall& call, cudaStream_t stream) {
  attention_generic<__nv_bfloat16>(call, stream);
}

}  // namespace virnucpro::cuda
