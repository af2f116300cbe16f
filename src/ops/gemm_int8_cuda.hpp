#pragma once

#include <cstdint>

#include "ops/gemm_cuda.hpp"

namespace virnucpro::cuda {

// The last step on an 8-bit product before it is stored in fp16. In fp32, value = sum · row's scale
// · channel's scale + bias. GELU's outputs are quantised in a later pass: a scale for every 32
// columns, found here, slowed fc1 by much more than that pass takes.
enum class Int8Epilogue : std::uint8_t {
  kBias,      // out = value
  kBiasGelu,  // out = GELU(value)
  kBiasAdd,   // out = out + value, the residual stream
};

// Enqueues a product of s8 numbers. The call's `x` and `weight` are s8, with the scales row_scales
// and channel_scales; inputs are a multiple of 16. Sums are exact, so a row's bits depend only on
// that row and the weights. Compute capability 9.0 only. Errors: kDevice.
void gemm_sm90_int8(const GemmCall& call, Int8Epilogue epilogue, cudaStream_t stream);

}  // namespace virnucpro::cuda
