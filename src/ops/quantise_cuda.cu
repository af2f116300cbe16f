#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "ops/quantise_cuda.hpp"
#include "ops/vector_cuda.cuh"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 128;
constexpr int kPiece = 8;  // numbers that a thread loads, or rotates, at once
constexpr float kMost = 127.0F;

template <typename T>
struct alignas(kPiece * sizeof(T)) Piece {
  T at[kPiece];
};

template <typename T>
__device__ __forceinline__ const Piece<T>& piece_of(const T* row, std::size_t piece) {
  return *reinterpret_cast<const Piece<T>*>(row + piece * kPiece);
}

// Loads the numbers of rows. Raw is one piece of a row, in registers.
template <typename T>
struct PlainRows {
  using Raw = Piece<T>;
  const T* data;
  std::size_t width;

  __device__ Raw load(std::size_t row, std::size_t piece) const {
    return piece_of(data + row * width, piece);
  }
  __device__ static void widen(const Raw& raw, float (&x)[kPiece]) {
#pragma unroll
    for (int i = 0; i < kPiece; ++i) x[i] = to_float(raw.at[i]);
  }
};

template <typename T>
PlainRows<T> rows_of(const DeviceMatrix& in) {
  return {static_cast<const T*>(in.data), in.width};
}

// Applies the orthogonal Hadamard transform to 8 numbers, with the steps of rotate_blocks().
__device__ __forceinline__ void rotate(float (&x)[kPiece]) {
#pragma unroll
  for (int step = 1; step < kPiece; step *= 2) {
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
      if ((i & step) != 0) continue;
      const float a = x[i];
      const float b = x[i + step];
      x[i] = a + b;
      x[i + step] = a - b;
    }
  }
#pragma unroll
  for (float& value : x) value *= 0.35355339F;
}

template <bool kRotated, typename Rows>
__device__ __forceinline__ void numbers(const typename Rows::Raw& raw, float (&x)[kPiece]) {
  Rows::widen(raw, x);
  if constexpr (kRotated) rotate(x);
}

// Combines the values of a row's kLanes threads in a fixed order. All threads get the result.
template <int kLanes, typename Combine>
__device__ __forceinline__ float over_row(float value, const Combine& combine) {
#pragma unroll
  for (int step = 1; step < kWarp; step *= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffU, value, step));
  }
  if constexpr (kLanes > kWarp) {
    __shared__ float of_warps[kLanes / kWarp];
    __syncthreads();
    if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = value;
    __syncthreads();
    value = of_warps[0];
#pragma unroll
    for (int warp = 1; warp < kLanes / kWarp; ++warp) value = combine(value, of_warps[warp]);
  }
  return value;
}

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return max_or_nan(a, b); }
};

// Computes a row's scale from the row's largest magnitude, and codes from numbers.
struct RowScale {
  __device__ explicit RowScale(float largest) : scale(largest / kMost), inverse(kMost / largest) {
    if (!isfinite(largest)) {
      scale = NAN;
      inverse = 0;
    } else if (!isfinite(inverse)) {
      scale = 0;
      inverse = 0;
    }
  }
  __device__ std::int8_t code(float x) const {
    return static_cast<std::int8_t>(__float2int_rn(x * inverse));
  }

  float scale;
  float inverse;
};

// The layout of a row in registers: kLanes threads, each with at most kPieces pieces.
template <int kLanes, int kPieces>
struct RowShape {
  static constexpr int kRows = kThreads / kLanes;  // rows of a thread block

  __device__ static std::size_t row() {
    return std::size_t{blockIdx.x} * kRows + threadIdx.x / kLanes;
  }
  __device__ static std::size_t piece(int k) { return k * kLanes + threadIdx.x % kLanes; }
  static unsigned blocks(std::size_t rows) {
    return static_cast<unsigned>((rows + kRows - 1) / kRows);
  }
};

template <int kLanes, int kPieces, bool kRotated, typename Rows>
__global__ void __launch_bounds__(kThreads) quantise_kernel(Rows in, CodeMatrix out) {
  using Shape = RowShape<kLanes, kPieces>;
  const std::size_t row = Shape::row();
  if (row >= out.rows) return;  // the same for all threads of a row, as over_row() needs
  const std::size_t pieces = out.width / kPiece;
  typename Rows::Raw raw[kPieces];
  float x[kPiece];
  float largest = 0;
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    if (Shape::piece(k) >= pieces) continue;
    raw[k] = in.load(row, Shape::piece(k));
    numbers<kRotated, Rows>(raw[k], x);
#pragma unroll
    for (const float value : x) largest = max_or_nan(largest, fabsf(value));
  }
  const RowScale scale(over_row<kLanes>(largest, Larger()));
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    if (Shape::piece(k) >= pieces) continue;
    numbers<kRotated, Rows>(raw[k], x);
    Piece<std::int8_t> codes;
#pragma unroll
    for (int i = 0; i < kPiece; ++i) codes.at[i] = scale.code(x[i]);
    *reinterpret_cast<Piece<std::int8_t>*>(out.codes + row * out.width + Shape::piece(k) * kPiece) =
        codes;
  }
  if (threadIdx.x % kLanes == 0) out.scales[row] = scale.scale;
}

// Returns 1 / √(mean(x²) + eps) of a row x in registers.
template <int kLanes, int kPieces>
__device__ __forceinline__ float inverse_rms(const Piece<__half> (&raw)[kPieces], float eps,
                                             std::size_t width) {
  float squares = 0;
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    if (RowShape<kLanes, kPieces>::piece(k) * kPiece >= width) continue;
#pragma unroll
    for (const __half value : raw[k].at) {
      const float x = __half2float(value);
      squares = fmaf(x, x, squares);
    }
  }
  const float sum = over_row<kLanes>(squares, Add());
  return 1.0F / sqrtf(sum / static_cast<float>(width) + eps);
}

template <int kLanes, int kPieces>
__global__ void __launch_bounds__(kThreads)
    rms_norm_kernel(PlainRows<__half> in, float eps, std::size_t rows, __half* halves,
                    CodeMatrix out) {
  using Shape = RowShape<kLanes, kPieces>;
  const std::size_t row = Shape::row();
  if (row >= rows) return;
  const std::size_t pieces = in.width / kPiece;
  Piece<__half> raw[kPieces];
  float largest = 0;
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    if (Shape::piece(k) >= pieces) continue;
    raw[k] = in.load(row, Shape::piece(k));
#pragma unroll
    for (const __half value : raw[k].at) largest = max_or_nan(largest, fabsf(__half2float(value)));
  }
  const RowScale scale(over_row<kLanes>(largest, Larger()));
  const float inverse = inverse_rms<kLanes>(raw, eps, in.width);
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    if (Shape::piece(k) >= pieces) continue;
    const std::size_t at = row * in.width + Shape::piece(k) * kPiece;
    Piece<std::int8_t> codes;
    Piece<__half> normed;
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
      const float x = __half2float(raw[k].at[i]);
      codes.at[i] = scale.code(x);
      normed.at[i] = __float2half_rn(x * inverse);
    }
    if (out.codes != nullptr) *reinterpret_cast<Piece<std::int8_t>*>(out.codes + at) = codes;
    if (halves != nullptr) *reinterpret_cast<Piece<__half>*>(halves + at) = normed;
  }
  if (out.codes != nullptr && threadIdx.x % kLanes == 0) out.scales[row] = scale.scale * inverse;
}

template <int kLanes, int kPieces>
__global__ void __launch_bounds__(kThreads)
    inverse_rms_kernel(PlainRows<__half> in, float eps, std::size_t rows, float* scales) {
  using Shape = RowShape<kLanes, kPieces>;
  const std::size_t row = Shape::row();
  if (row >= rows) return;
  Piece<__half> raw[kPieces];
#pragma unroll
  for (int k = 0; k < kPieces; ++k) {
    if (Shape::piece(k) < in.width / kPiece) raw[k] = in.load(row, Shape::piece(k));
  }
  const float inverse = inverse_rms<kLanes>(raw, eps, in.width);
  if (threadIdx.x % kLanes == 0) scales[row] = inverse;
}

__global__ void scaled_mean_kernel(const __half* in, const float* scales,
                                   const std::uint32_t* offsets, PooledRows rows, float* out,
                                   std::size_t width) {
  const std::size_t i = blockIdx.y * kThreads + threadIdx.x;
  if (i >= width) return;
  const std::uint32_t first = offsets[blockIdx.x] + rows.skipped;
  const std::uint32_t count = min(offsets[blockIdx.x + 1] - rows.skipped - first, rows.most);
  double sum = 0;
  for (std::uint32_t row = first; row < first + count; ++row) {
    sum += __half2float(in[row * width + i]) * scales[row];
  }
  out[blockIdx.x * width + i] = static_cast<float>(sum / count);
}

template <bool kRotated>
__global__ void rest_kernel(PlainRows<float> in, CodeMatrix codes, std::int8_t* rest) {
  const std::size_t row = blockIdx.x;
  const float scale = codes.scales[row];
  const float factor = 2.0F * kMost / scale;
  const float inverse = isfinite(factor) ? factor : 0.0F;
  for (std::size_t piece = threadIdx.x; piece < codes.width / kPiece; piece += kThreads) {
    float x[kPiece];
    numbers<kRotated, PlainRows<float>>(in.load(row, piece), x);
    const std::size_t at = row * codes.width + piece * kPiece;
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
      const float left = fmaf(-scale, static_cast<float>(codes.codes[at + i]), x[i]);
      rest[at + i] = static_cast<std::int8_t>(fminf(fmaxf(rintf(left * inverse), -kMost), kMost));
    }
  }
}

template <bool kRotated, typename Rows>
__global__ void column_means_kernel(Rows in, CodeMatrix codes, ColumnMeans out) {
  const std::size_t piece = std::size_t{blockIdx.x} * kWarp + threadIdx.x;
  if (piece >= codes.width / kPiece) return;
  double exact[kPiece] = {};
  double coded[kPiece] = {};
  for (std::size_t row = 0; row < codes.rows; ++row) {
    float x[kPiece];
    numbers<kRotated, Rows>(in.load(row, piece), x);
    const Piece<std::int8_t> code = piece_of(codes.codes + row * codes.width, piece);
    const float scale = codes.scales[row];
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
      exact[i] += x[i];
      coded[i] += static_cast<float>(code.at[i]) * scale;
    }
  }
  const auto rows = static_cast<double>(codes.rows);
#pragma unroll
  for (int i = 0; i < kPiece; ++i) {
    out.exact[piece * kPiece + i] = static_cast<float>(exact[i] / rows);
    out.coded[piece * kPiece + i] = static_cast<float>(coded[i] / rows);
  }
}

// One warp computes the new bias of one output.
__global__ void correct_bias_kernel(CodeMatrix weight, const std::int8_t* rest, ColumnMeans means,
                                    float* bias) {
  const std::size_t output = std::size_t{blockIdx.x} * (kThreads / kWarp) + threadIdx.x / kWarp;
  if (output >= weight.rows) return;
  float of_codes = 0;
  float of_rest = 0;
  for (std::size_t i = threadIdx.x % kWarp; i < weight.width; i += kWarp) {
    const std::size_t at = output * weight.width + i;
    of_codes = fmaf(weight.codes[at], means.exact[i] - means.coded[i], of_codes);
    of_rest = fmaf(rest[at], means.exact[i], of_rest);
  }
  const float lost =
      over_row<kWarp>(of_codes, Add()) + over_row<kWarp>(of_rest, Add()) / (2.0F * kMost);
  if (threadIdx.x % kWarp == 0) bias[output] += weight.scales[output] * lost;
}

// Calls `call` with the smallest RowShape that holds rows of this width.
template <typename Call>
void with_shape(std::size_t width, const Call& call) {
  if (width <= 5 * kWarp * kPiece) return call(RowShape<kWarp, 5>());
  if (width <= 10 * kWarp * kPiece) return call(RowShape<kWarp, 10>());
  if (width <= 5 * kThreads * kPiece) return call(RowShape<kThreads, 5>());
  if (width <= 10 * kThreads * kPiece) return call(RowShape<kThreads, 10>());
  if (width <= 20 * kThreads * kPiece) return call(RowShape<kThreads, 20>());
  if (width <= kWidestCodes) return call(RowShape<kThreads, 32>());
  throw Error(ErrorKind::kInternal,
              "cannot quantise rows of " + std::to_string(width) + " numbers");
}

template <typename Call>
void with_blocks(Blocks blocks, const Call& call) {
  if (blocks == Blocks::kRotated) return call(std::true_type());
  call(std::false_type());
}

template <typename Rows>
void quantise(const Rows& in, Blocks blocks, const CodeMatrix& out, cudaStream_t stream) {
  with_shape(out.width, [&]<int kLanes, int kPieces>(RowShape<kLanes, kPieces>) {
    with_blocks(blocks, [&]<bool kRotated>(std::bool_constant<kRotated>) {
      quantise_kernel<kLanes, kPieces, kRotated, Rows>
          <<<RowShape<kLanes, kPieces>::blocks(out.rows), kThreads, 0, stream>>>(in, out);
    });
  });
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for quantise_rows");
}

template <typename Rows>
void means(const Rows& in, Blocks blocks, const CodeMatrix& codes, const ColumnMeans& out,
           cudaStream_t stream) {
  const std::size_t pieces = codes.width / kPiece;
  with_blocks(blocks, [&]<bool kRotated>(std::bool_constant<kRotated>) {
    column_means_kernel<kRotated, Rows>
        <<<static_cast<unsigned>((pieces + kWarp - 1) / kWarp), kWarp, 0, stream>>>(in, codes, out);
  });
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for column_means");
}

}  // namespace

void quantise_rows(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& out,
                   cudaStream_t stream) {
  if (in.element == Element::kFp32) return quantise(rows_of<float>(in), blocks, out, stream);
  quantise(rows_of<__half>(in), blocks, out, stream);
}

void quantise_rest(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& codes,
                   std::int8_t* rest, cudaStream_t stream) {
  with_blocks(blocks, [&]<bool kRotated>(std::bool_constant<kRotated>) {
    rest_kernel<kRotated><<<static_cast<unsigned>(codes.rows), kThreads, 0, stream>>>(
        rows_of<float>(in), codes, rest);
  });
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for quantise_rest");
}

void rms_norm(const DeviceMatrix& in, float eps, const DeviceMatrix& halves,
              const CodeMatrix& codes, cudaStream_t stream) {
  with_shape(in.width, [&]<int kLanes, int kPieces>(RowShape<kLanes, kPieces>) {
    rms_norm_kernel<kLanes, kPieces>
        <<<RowShape<kLanes, kPieces>::blocks(in.rows), kThreads, 0, stream>>>(
            rows_of<__half>(in), eps, in.rows, static_cast<__half*>(halves.data), codes);
  });
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for rms_norm");
}

void rms_norm_means(const DeviceMatrix& in, float eps, const std::uint32_t* offsets,
                    const PooledRows& rows, float* scales, const DeviceMatrix& out,
                    cudaStream_t stream) {
  with_shape(in.width, [&]<int kLanes, int kPieces>(RowShape<kLanes, kPieces>) {
    inverse_rms_kernel<kLanes, kPieces>
        <<<RowShape<kLanes, kPieces>::blocks(in.rows), kThreads, 0, stream>>>(rows_of<__half>(in),
                                                                              eps, in.rows, scales);
  });
  const dim3 grid(static_cast<unsigned>(out.rows),
                  static_cast<unsigned>((in.width + kThreads - 1) / kThreads));
  scaled_mean_kernel<<<grid, kThreads, 0, stream>>>(static_cast<const __half*>(in.data), scales,
                                                    offsets, rows, static_cast<float*>(out.data),
                                                    in.width);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for rms_norm_means");
}

void column_means(const DeviceMatrix& in, Blocks blocks, const CodeMatrix& codes,
                  const ColumnMeans& out, cudaStream_t stream) {
  means(rows_of<__half>(in), blocks, codes, out, stream);
}

void correct_bias(const CodeMatrix& weight, const std::int8_t* rest, const ColumnMeans& means,
                  float* bias, cudaStream_t stream) {
  constexpr std::size_t kOutputs = kThreads / kWarp;  // outputs of a thread block
  correct_bias_kernel<<<static_cast<unsigned>((weight.rows + kOutputs - 1) / kOutputs), kThreads, 0,
                        stream>>>(weight, rest, means, bias);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for correct_bias");
}

}  // namespace virnucpro::cuda
