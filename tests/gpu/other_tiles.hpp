#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "ops/gemm_cuda.hpp"

namespace virnucpro {

// A generic product with the tiles of a GPU with kKilobytes of shared memory in a multiprocessor.
template <cuda::Gemm kGemm, std::size_t kKilobytes>
void with_tiles_of(const cuda::GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  cuda::GemmCall other = call;
  other.shared_bytes = kKilobytes << 10U;
  kGemm(other, epilogue, stream);
}

}  // namespace virnucpro
