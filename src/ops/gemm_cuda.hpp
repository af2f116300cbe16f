#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "ops/linear.hpp"

namespace virnucpro::cuda {

// One product on the device: out = epilogue(x·Wᵀ). All pointers are to device memory, aligned to 16
// bytes; inputs and outputs are multiples of 8. `x`, `weight` and `out` have the kernel's element
// type; with Epilogue::kBiasAdd `out` is fp32. kBiasAdd, kBiasAdd16 and kGeluGate also read `out`.
struct GemmCall {
  std::size_t rows = 0;
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  const void* x = nullptr;       // [rows, inputs]
  const void* weight = nullptr;  // [outputs, inputs]
  const float* bias = nullptr;   // [outputs]; unused by kGeluGate
  void* out = nullptr;           // [rows, outputs]
  // Only for 8-bit products (ops/gemm_int8_cuda.hpp):
  const float* row_scales = nullptr;      // [rows], of `x`
  const float* channel_scales = nullptr;  // [outputs], of `weight`
};

// Enqueues a product. The K dimension is summed in the same order for any tile, so a row's bits
// depend only on that row, the weights and the kernel's family. The kernels are CUTLASS's. cuBLASLt
// has only the tanh GELU, and chooses kernels, and so bits, by the batch. Errors: kDevice.
using Gemm = void (*)(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

// Use wgmma and TMA; they need compute capability 9.0 (Hopper).
void gemm_sm90_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_sm90_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

// Use mma.sync; they need compute capability 8.0 or above. fp32 is split into three TF32 products
// (Ootomo and Yokota 2022, arXiv:2203.03341); the error is that of an fp32 product.
void gemm_generic_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_generic_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_generic_fp32(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

}  // namespace virnucpro::cuda
