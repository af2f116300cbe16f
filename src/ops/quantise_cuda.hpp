#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ops/quantise.hpp"
#include "ops/token_batch.hpp"
#include "tensor/matrix.hpp"

namespace virnucpro::cuda {

// Numbers of 8 bits on the device, as ops/quantise.hpp describes them: number = code · the row's
// scale.
struct CodeMatrix {
  std::int8_t* codes = nullptr;  // [rows, width]
  float* scales = nullptr;       // [rows]
  std::size_t rows = 0;
  std::size_t width = 0;
};

// For all functions here: pointers are to device memory; widths are multiples of 8, at most
// kWidestCodes. A row's bits depend only on that row. Errors: kDevice.
inline constexpr std::size_t kWidestCodes = 32768;

// Quantises the rows of `in`, which is fp16, or fp32 for weights.
void quantise_rows(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& out,
                   cudaStream_t stream);
// Computes the second 8 bits of weights: the rest of `in` (fp32) after quantise_rows, in units of a
// 254th of the row's scale. quantise_rows must have written `codes` with the same `blocks`.
void quantise_rest(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& codes,
                   std::int8_t* rest, cudaStream_t stream);

// Computes x / √(mean(x²) + eps) for each row x of `in` (fp16), as codes, as fp16, or both: one of
// the outputs may have no rows.
void rms_norm(const DeviceMatrix& in, float eps, const DeviceMatrix& halves,
              const CodeMatrix& codes, cudaStream_t stream);
// Computes out[i], the mean of rms_norm()'s results over sequence i's rows, in fp32, summed in
// order in double. `scales` must have room for one number per row of `in`.
void rms_norm_means(const DeviceMatrix& in, float eps, const std::uint32_t* offsets,
                    const PooledRows& rows, float* scales, const DeviceMatrix& out,
                    cudaStream_t stream);

// Means over all rows, fp32 [width].
struct ColumnMeans {
  float* exact = nullptr;  // of the numbers after `blocks` and before quantising
  float* coded = nullptr;  // of the quantised numbers
};
void column_means(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& codes,
                  const ColumnMeans& out, cudaStream_t stream);
// Corrects `bias` by the mean error of a linear layer with quantised weights and inputs: adds
// W·means.exact − (quantised W)·means.coded, with W from codes and `rest`.
void correct_bias(const CodeMatrix& weight, const std::int8_t* rest, const ColumnMeans& means,
                  float* bias, cudaStream_t stream);

}  // namespace virnucpro::cuda
