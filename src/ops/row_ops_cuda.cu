#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "ops/row_ops_cuda.hpp"
#include "ops/vector_cuda.cuh"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 128;

// Calls `call` with a null pointer whose type is the device type of `element`.
template <typename Call>
void with_type(Element element, const Call& call) {
  switch (element) {
    case Element::kFp32:
      return call(static_cast<float*>(nullptr));
    case Element::kFp16:
      return call(static_cast<__half*>(nullptr));
    case Element::kBf16:
      return call(static_cast<__nv_bfloat16*>(nullptr));
    case Element::kInt8:
      break;
  }
  throw Error(ErrorKind::kInternal, "the GPU kernels for rows do not support 8-bit numbers");
}

unsigned blocks_for(std::size_t items, std::size_t per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

template <typename Token, typename Out>
__global__ void embed_kernel(const float* table, const Token* tokens, Out* out, std::size_t width) {
  const float* const from = table + tokens[blockIdx.x] * width;
  Out* const to = out + blockIdx.x * width;
  for (std::size_t i = threadIdx.x * 4; i < width; i += kThreads * 4) {
    store_four(to + i, converted<Out>(load_four(from + i)));
  }
}

template <typename Token>
void embed_any(const float* table, const Token* tokens, const DeviceMatrix& out,
               cudaStream_t stream) {
  with_type(out.element, [&]<typename Out>(Out*) {
    embed_kernel<<<static_cast<unsigned>(out.rows), kThreads, 0, stream>>>(
        table, tokens, static_cast<Out*>(out.data), out.width);
  });
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for embed_rows");
}

// Returns the sum of `value` over a block's threads, in a fixed order. All threads get the sum.
__device__ float block_sum(float value, float* shared) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, step);
  }
  if (threadIdx.x % kWarp == 0) shared[threadIdx.x / kWarp] = value;
  __syncthreads();
  float sum = 0;
  for (int warp = 0; warp < kThreads / kWarp; ++warp) sum += shared[warp];
  __syncthreads();
  return sum;
}

// One thread block computes one row in registers: each thread has kFours groups of four numbers.
template <int kFours, typename Out, typename Also>
__global__ void __launch_bounds__(kThreads)
    layer_norm_kernel(NormWeights norm, const float* in, Out* out, Also* also, std::size_t width) {
  __shared__ float shared[kThreads / kWarp];
  const std::size_t row = blockIdx.x * width;
  Four<float> x[kFours];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kFours; ++k) {
    const std::size_t i = (k * kThreads + threadIdx.x) * 4;
    x[k] = i < width ? load_four(in + row + i) : Four<float>{};
    sum += (x[k].at[0] + x[k].at[1]) + (x[k].at[2] + x[k].at[3]);
  }
  const float count = static_cast<float>(width);
  const float mean = block_sum(sum, shared) / count;
  float squares = 0;
#pragma unroll
  for (int k = 0; k < kFours; ++k) {
    if ((k * kThreads + threadIdx.x) * 4 >= width) continue;
    for (float& value : x[k].at) {
      value -= mean;
      squares = fmaf(value, value, squares);
    }
  }
  const float scale = 1.0F / sqrtf(block_sum(squares, shared) / count + norm.eps);
#pragma unroll
  for (int k = 0; k < kFours; ++k) {
    const std::size_t i = (k * kThreads + threadIdx.x) * 4;
    if (i >= width) continue;
    const Four<float> weight = load_four(norm.weight + i);
    const Four<float> bias = load_four(norm.bias + i);
    Four<Out> result;
    Four<Also> again;
    for (int n = 0; n < 4; ++n) {
      const float value = fmaf(x[k].at[n] * scale, weight.at[n], bias.at[n]);
      result.at[n] = from_float<Out>(value);
      again.at[n] = from_float<Also>(value);
    }
    store_four(out + row + i, result);
    if (also != nullptr) store_four(also + row + i, again);
  }
}

template <int kFours, typename Out, typename Also>
void launch_layer_norm(const NormWeights& norm, const DeviceMatrix& in, const DeviceMatrix& out,
                       const DeviceMatrix& also, cudaStream_t stream) {
  layer_norm_kernel<kFours><<<static_cast<unsigned>(in.rows), kThreads, 0, stream>>>(
      norm, static_cast<const float*>(in.data), static_cast<Out*>(out.data),
      static_cast<Also*>(also.data), in.width);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for layer_norm");
}

template <typename Out, typename Also>
void layer_norm_of_width(const NormWeights& norm, const DeviceMatrix& in, const DeviceMatrix& out,
                         const DeviceMatrix& also, cudaStream_t stream) {
  constexpr std::size_t kOneFour = 4 * kThreads;
  if (in.width <= kOneFour) {
    launch_layer_norm<1, Out, Also>(norm, in, out, also, stream);
  } else if (in.width <= 3 * kOneFour) {
    launch_layer_norm<3, Out, Also>(norm, in, out, also, stream);
  } else if (in.width <= 5 * kOneFour) {
    launch_layer_norm<5, Out, Also>(norm, in, out, also, stream);
  } else if (in.width <= kWidestNorm) {
    launch_layer_norm<10, Out, Also>(norm, in, out, also, stream);
  } else {
    throw Error(ErrorKind::kInternal, "layer normalisation does not support rows of " +
                                          std::to_string(in.width) + " numbers");
  }
}

__global__ void mean_kernel(const float* in, const std::uint32_t* offsets, PooledRows rows,
                            float* out, std::size_t width, std::size_t out_width) {
  const std::size_t i = blockIdx.y * kThreads + threadIdx.x;
  if (i >= width) return;
  const std::uint32_t first = offsets[blockIdx.x] + rows.skipped;
  const std::uint32_t count = min(offsets[blockIdx.x + 1] - rows.skipped - first, rows.most);
  const float* value = in + first * width + i;
  double sum = 0;
  for (std::uint32_t row = 0; row < count; ++row, value += width) sum += *value;
  out[blockIdx.x * out_width + i] = static_cast<float>(sum / count);
}

__global__ void batch_norm_relu_kernel(BatchNormWeights norm, float* values, std::size_t width,
                                       std::size_t count) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= count) return;
  const std::size_t i = at % width;
  const float y = (values[at] - norm.mean[i]) * norm.scale[i] + norm.bias[i];
  values[at] = y < 0.0F ? 0.0F : y;
}

// One warp computes one row. The sums of its lanes are added in a fixed order.
__global__ void two_classes_kernel(const float* weight, const float* bias, const float* in,
                                   float* out, std::size_t rows, std::size_t width) {
  const std::size_t row =
      static_cast<std::size_t>(blockIdx.x) * (kThreads / kWarp) + threadIdx.x / kWarp;
  if (row >= rows) return;
  const std::size_t lane = threadIdx.x % kWarp;
  float sums[2] = {};
  for (std::size_t i = lane; i < width; i += kWarp) {
    const float x = in[row * width + i];
    sums[0] = fmaf(x, weight[i], sums[0]);
    sums[1] = fmaf(x, weight[width + i], sums[1]);
  }
  for (int step = kWarp / 2; step > 0; step /= 2) {
    sums[0] += __shfl_xor_sync(0xffffffffU, sums[0], step);
    sums[1] += __shfl_xor_sync(0xffffffffU, sums[1], step);
  }
  if (lane != 0) return;
  const double first = static_cast<double>(sums[0] + bias[0]);
  const double second = static_cast<double>(sums[1] + bias[1]);
  const double largest = first < second ? second : first;
  const float a = static_cast<float>(exp(first - largest));
  const float b = static_cast<float>(exp(second - largest));
  out[2 * row] = a / (a + b);
  out[2 * row + 1] = b / (a + b);
}

__global__ void flag_kernel(const float* values, std::uint8_t* not_finite, std::size_t width) {
  const float* const row = values + blockIdx.x * width;
  bool bad = false;
  for (std::size_t i = threadIdx.x; i < width; i += kThreads) bad = bad || !isfinite(row[i]);
  const bool any = __syncthreads_or(bad) != 0;
  if (threadIdx.x == 0) not_finite[blockIdx.x] = any ? 1 : 0;
}

template <typename T>
__global__ void convert_kernel(const float* in, T* out, std::size_t count) {
  const std::size_t i = (static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x) * 4;
  if (i >= count) return;
  store_four(out + i, converted<T>(load_four(in + i)));
}

}  // namespace

void embed_rows(const float* table, const std::uint8_t* tokens, const DeviceMatrix& out,
                cudaStream_t stream) {
  embed_any(table, tokens, out, stream);
}

void embed_rows(const float* table, const std::uint16_t* tokens, const DeviceMatrix& out,
                cudaStream_t stream) {
  embed_any(table, tokens, out, stream);
}

void layer_norm(const NormWeights& norm, const DeviceMatrix& in, const DeviceMatrix& out,
                const DeviceMatrix& also, cudaStream_t stream) {
  // Either `out` is 16-bit, or `out` is fp32 and `also` may be its 16-bit copy.
  const Element narrow = out.element == Element::kFp32 ? also.element : out.element;
  with_type(narrow, [&]<typename T>(T*) {
    if (out.element == Element::kFp32) {
      layer_norm_of_width<float, T>(norm, in, out, also, stream);
    } else {
      layer_norm_of_width<T, T>(norm, in, out, also, stream);
    }
  });
}

void mean_rows(const DeviceMatrix& in, const std::uint32_t* offsets, const PooledRows& rows,
               const DeviceMatrix& out, std::size_t column, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(out.rows), blocks_for(in.width, kThreads));
  mean_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const float*>(in.data), offsets, rows,
                                             static_cast<float*>(out.data) + column, in.width,
                                             out.width);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for mean_rows");
}

void batch_norm_relu(const BatchNormWeights& norm, const DeviceMatrix& values,
                     cudaStream_t stream) {
  const std::size_t count = values.rows * values.width;
  batch_norm_relu_kernel<<<blocks_for(count, kThreads), kThreads, 0, stream>>>(
      norm, static_cast<float*>(values.data), values.width, count);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for batch_norm_relu");
}

void two_classes(const float* weight, const float* bias, const DeviceMatrix& in, float* out,
                 cudaStream_t stream) {
  two_classes_kernel<<<blocks_for(in.rows, kThreads / kWarp), kThreads, 0, stream>>>(
      weight, bias, static_cast<const float*>(in.data), out, in.rows, in.width);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for two_classes");
}

void flag_rows(const DeviceMatrix& values, std::uint8_t* not_finite, cudaStream_t stream) {
  flag_kernel<<<static_cast<unsigned>(values.rows), kThreads, 0, stream>>>(
      static_cast<const float*>(values.data), not_finite, values.width);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for flag_rows");
}

void convert(const float* in, const DeviceMatrix& out, cudaStream_t stream) {
  const std::size_t count = out.rows * out.width;
  with_type(out.element, [&]<typename T>(T*) {
    convert_kernel<<<blocks_for(count, 4 * kThreads), kThreads, 0, stream>>>(
        in, static_cast<T*>(out.data), count);
  });
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for convert");
}

}  // namespace virnucpro::cuda
