#include "ops/attention_generic_cuda.cuh"

namespace virnucpro::cuda {

void attention_generic_fp16(const AttentionCall& call, cudaStream_t stream) {
  attention_generic<__half>(call, stream);
}

}  // namespace virnucpro::cuda
