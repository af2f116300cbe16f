#include "ops/hopper/attention.cuh"

namespace virnucpro::cuda {

void attention_sm90_bf16(const AttentionCall& call, cudaStream_t stream) {
  attention_sm90<__nv_bfloat16>(call, attention_generic_bf16, stream);
}

}  // namespace virnucpro::cuda
