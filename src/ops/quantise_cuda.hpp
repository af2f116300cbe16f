#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "ops/quantise.hpp"
#include "ops/token_batch.hpp"
#include "tensor/matrix.hpp"

namespace virnucpro::cuda {

// A matrix of 8-bit numbers on the device: number = code · the row's scale (explained in
// ops/quantise.hpp).
struct CodeMatrix {
  std::int8_t* codes = nullptr;  // [rows, width]
  float* scales = nullptr;       // [rows]
  std::size_t rows = 0;
  std::size_t width = 0;
};

// For all functions below: pointers are to device memory; widths are multiples of 8 and at most
// kWidestCodes numbers. A row's bits depend only on that row. Errors: kDevice.
inline constexpr std::size_t kWidestCodes = 32768;

// Quantises the rows of `in`, which is fp16 or fp32.
void quantise_rows(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& out,
                   cudaStream_t stream);
// Computes the second 8 bits of weights: `in` (fp32) minus code · scale, in units of scale / 254.
// quantise_rows() must have written `codes` with the same `blocks`.
void quantise_rest(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& codes,
                   std::int8_t* rest, cudaStream_t stream);

// Computes x / √(mean(x²) + eps) for each row x of `in` (fp16). Writes the result as fp16 to
// `halves` and quantised to `codes`; skips an output whose pointer is null.
void rms_norm(const DeviceMatrix& in, float eps, const DeviceMatrix& halves,
              const CodeMatrix& codes, cudaStream_t stream);
// Computes out[i], the fp32 mean of rms_norm()'s results over sequence i's rows; sums are double,
// in the order of the rows. `scales` is scratch memory for one float per row of `in`.
void rms_norm_means(const DeviceMatrix& in, float eps, const std::uint32_t* offsets,
                    const PooledRows& rows, float* scales, const DeviceMatrix& out,
                    cudaStream_t stream);

// Means of each column over all rows, fp32 [width].
struct ColumnMeans {
  float* exact = nullptr;  // means of the numbers, rotated if `blocks` is kRotated
  float* coded = nullptr;  // means of code · scale
};
void column_means(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& codes,
                  const ColumnMeans& out, cudaStream_t stream);
// Adds the mean quantisation error of a linear layer to `bias`: W16·means.exact − W8·means.coded.
// W8 is the weights in 8 bits. W16 also has the second 8 bits in `rest`.
void correct_bias(const CodeMatrix& weight, const std::int8_t* rest, const ColumnMeans& means,
                  float* bias, cudaStream_t stream);

}  // namespace virnucpro::cuda
