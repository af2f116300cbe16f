#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "ops/linear.hpp"

namespace virnucpro::cuda {

// Describes a product on the device: out = epilogue(x·Wᵀ). Pointers are to device memory, aligned
// to 16 bytes. A row of `x` and of `weight` is a multiple of 16 bytes; `outputs` is a multiple
// of 8. `x`, `weight` and `out` have the kernel's element type, but for kBiasAdd `out` is fp32, and
// in 8 bits `out` is fp16. kBiasAdd, kBiasAdd16 and kGeluGate also read `out`.
struct GemmCall {
  std::size_t rows = 0;
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  const void* x = nullptr;       // [rows, inputs]
  const void* weight = nullptr;  // [outputs, inputs]
  const float* bias = nullptr;   // [outputs]; unused by kGeluGate
  void* out = nullptr;           // [rows, outputs]
  // Only for 8-bit products:
  const float* row_scales = nullptr;      // [rows], the scales of the rows of `x`
  const float* channel_scales = nullptr;  // [outputs], the scales of the rows of `weight`
  // Only for generic products in 16 and 8 bits: chooses the tiles for a GPU with so many bytes of
  // shared memory in a multiprocessor, which must not be more than this one's; 0 means this one's.
  std::size_t shared_bytes = 0;
};

// Enqueues a product. Every kernel adds over the inputs in a fixed order, so a row's bits depend
// only on the row, the weights and the kernels (sm90 or generic). cuBLASLt is not used, because it
// selects kernels by batch size, which changes bits, and has only the tanh GELU. Errors: kDevice.
using Gemm = void (*)(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

// The sm90 kernels use wgmma and TMA, and need compute capability 9.0 (Hopper).
void gemm_sm90_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_sm90_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

// The generic kernels use mma.sync, and need compute capability 8.0 or newer. An fp32 product is
// three TF32 products, with the error of a plain fp32 product. In fp32, kBiasAdd16 is kBiasAdd.
void gemm_generic_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_generic_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_generic_fp32(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

// Products of s8 numbers, with kBias, kBiasGelu or kBiasAdd16. Sums are exact. Before the epilogue,
// each sum is multiplied in fp32 by its row's and its channel's scale. A later kernel quantises
// GELU's outputs, because an epilogue that also found a scale for every 32 columns was much slower.
// The sm90 and the generic kernels give the same bits.
void gemm_sm90_int8(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_generic_int8(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

}  // namespace virnucpro::cuda
