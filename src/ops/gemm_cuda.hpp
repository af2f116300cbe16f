#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "ops/linear.hpp"

namespace virnucpro::cuda {

// Describes a product on the device: out = epilogue(x·Wᵀ). Pointers are to device memory, aligned
// to 16 bytes. `inputs` and `outputs` are multiples of 8. `x`, `weight` and `out` have the kernel's
// element type, but for kBiasAdd `out` is fp32. kBiasAdd, kBiasAdd16 and kGeluGate also read `out`.
struct GemmCall {
  std::size_t rows = 0;
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  const void* x = nullptr;       // [rows, inputs]
  const void* weight = nullptr;  // [outputs, inputs]
  const float* bias = nullptr;   // [outputs]; unused by kGeluGate
  void* out = nullptr;           // [rows, outputs]
  // Only for 8-bit products (ops/gemm_int8_cuda.hpp):
  const float* row_scales = nullptr;      // [rows], the scales of the rows of `x`
  const float* channel_scales = nullptr;  // [outputs], the scales of the rows of `weight`
};

// Enqueues a product. Every kernel adds over the inputs in a fixed order, so a row's bits depend
// only on the row, the weights and the kernels (sm90 or generic). Uses CUTLASS: cuBLASLt has only
// the tanh GELU and selects kernels by batch size, which changes bits. Errors: kDevice.
using Gemm = void (*)(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

// These use wgmma and TMA, and need compute capability 9.0 (Hopper).
void gemm_sm90_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_sm90_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

// These use mma.sync, and need compute capability 8.0 or newer. An fp32 product is three TF32
// products (Ootomo and Yokota 2022, arXiv:2203.03341), with the error of a plain fp32 product.
void gemm_generic_fp16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_generic_bf16(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);
void gemm_generic_fp32(const GemmCall& call, Epilogue epilogue, cudaStream_t stream);

}  // namespace virnucpro::cuda
