#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ops/token_batch.hpp"
#include "tensor/matrix.hpp"

namespace virnucpro::cuda {

// These kernels work row by row and are limited by memory bandwidth. Pointers are to device memory;
// widths are multiples of 4 numbers. A row's bits depend only on that row. Errors: kDevice.

// Computes out[i] = table[tokens[i]]. `table` is fp32 [rows, out.width].
void embed_rows(const float* table, const std::uint8_t* tokens, const DeviceMatrix& out,
                cudaStream_t stream);
void embed_rows(const float* table, const std::uint16_t* tokens, const DeviceMatrix& out,
                cudaStream_t stream);

// Weight and bias of a layer normalisation, fp32 [width].
struct NormWeights {
  const float* weight = nullptr;
  const float* bias = nullptr;
  float eps = 0;
};
// Computes out = (in − mean) / √(variance + eps) · weight + bias for each row. `in` is fp32 and may
// be `out`. Unless `also` is empty, writes the same numbers to `also` too, in its element type.
inline constexpr std::size_t kWidestNorm = 5120;
void layer_norm(const NormWeights& norm, const DeviceMatrix& in, const DeviceMatrix& out,
                const DeviceMatrix& also, cudaStream_t stream);

// Writes the mean of sequence i's rows of `in` (fp32) to out[i, column … column + in.width), in
// fp32; sums are double, in the order of the rows. Sequence i is [offsets[i], offsets[i + 1]).
void mean_rows(const DeviceMatrix& in, const std::uint32_t* offsets, const PooledRows& rows,
               const DeviceMatrix& out, std::size_t column, cudaStream_t stream);

// The vectors of a batch normalisation, as in ops/batch_norm.hpp, each fp32 [width].
struct BatchNormWeights {
  const float* mean = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;
};
// Computes values = max((values − mean) · scale + bias, 0) in fp32. NaN stays NaN.
void batch_norm_relu(const BatchNormWeights& norm, const DeviceMatrix& values, cudaStream_t stream);

// Computes out[i] = softmax(in[i]·Wᵀ + bias). in: fp32; weight: [2, in.width]; out: [rows, 2].
void two_classes(const float* weight, const float* bias, const DeviceMatrix& in, float* out,
                 cudaStream_t stream);

// Sets not_finite[i] to 1 if row i of `values` (fp32) has a NaN or an infinity, otherwise to 0.
void flag_rows(const DeviceMatrix& values, std::uint8_t* not_finite, cudaStream_t stream);

// Converts `in` (fp32) to the element type of `out`. Both have the same shape.
void convert(const float* in, const DeviceMatrix& out, cudaStream_t stream);

}  // namespace virnucpro::cuda
