#include "ops/hopper/attention.cuh"

namespace virnucpro::cuda {

void attention_sm90_fp16(const AttentionCall& call, cudaStream_t stream) {
  attention_sm90<__half>(call, attention_generic_fp16, stream);
}

}  // namespace virnucpro::cuda
