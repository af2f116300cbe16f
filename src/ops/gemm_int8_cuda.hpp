#pragma once

#include <cstdint>

#include "ops/gemm_cuda.hpp"

namespace virnucpro::cuda {

// The last step of an 8-bit product, before the result is stored in fp16: in fp32, value = sum ·
// row's scale · channel's scale + bias. A later kernel quantises GELU's outputs, because finding a
// scale for every 32 columns in this step was much slower.
enum class Int8Epilogue : std::uint8_t {
  kBias,      // out = value
  kBiasGelu,  // out = GELU(value)
  kBiasAdd,   // out = out + value, where `out` is the residual stream
};

// Enqueues a product of s8 numbers: `x` with row_scales and `weight` with channel_scales. The
// number of inputs must be a multiple of 16. Sums are exact, so a row's bits depend only on the row
// and the weights. Needs compute capability 9.0. Errors: kDevice.
void gemm_sm90_int8(const GemmCall& call, Int8Epilogue epilogue, cudaStream_t stream);

}  // namespace virnucpro::cuda
