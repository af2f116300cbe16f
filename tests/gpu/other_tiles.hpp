#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "ops/device_limits_cuda.hpp"
#include "ops/gemm_cuda.hpp"

namespace virnucpro {

// A generic product with the tiles of a GPU with kKilobytes of shared memory in a multiprocessor.
template <cuda::Gemm kGemm, std::size_t kKilobytes>
void with_tiles_of(const cuda::GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  cuda::GemmCall other = call;
  other.shared_bytes = kKilobytes << 10U;
  kGemm(other, epilogue, stream);
}

// True if this GPU can use these tiles; with 0, its own.
inline bool has_shared_memory(std::size_t kilobytes) {
  return cuda::device_limits().shared_bytes >= kilobytes << 10U;
}

}  // namespace virnucpro
