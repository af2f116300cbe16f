#pragma once

// Attention in 16-bit types with mma.sync, for GPUs of compute capability 8.0 or newer. One .cu
// file for each type includes this header.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/attention_cuda.cuh"
#include "ops/vector_cuda.cuh"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

inline constexpr int kWarps = 4;
inline constexpr int kThreads = 32 * kWarps;
inline constexpr int kTileRows = 16;   // query rows per warp at a time (the rows of one mma)
inline constexpr int kBlockKeys = 64;  // keys per update of the running maximum
inline constexpr std::uint32_t kChunkRows =
    192;  // the most keys (and values) in shared memory at once
static_assert(kChunkRows >= kWholeRows && kChunkRows % kBlockKeys == 0);
static_assert(kCutRows % (kWarps * kTileRows) == 0);
inline constexpr int kPad = 8;  // elements added to each row, to avoid bank conflicts

// Copies `rows` rows of a head to shared memory; rotates them if `rotary`. Sets columns from
// head_width to kWidth to 0. `threads` threads share the work; `thread` is this thread's index.
template <int kWidth, typename T>
__device__ void stage_rows(const AttentionProblem& problem, const T* from, std::size_t stride,
                           std::uint32_t rows, std::uint32_t first_position, bool rotary, T* to,
                           std::uint32_t thread, std::uint32_t threads) {
  constexpr std::uint32_t kRow = kWidth + kPad;
  const std::uint32_t half = problem.head_width / 2;
  if (rotary) {
    const std::uint32_t groups = half / 4;
    for (std::uint32_t i = thread; i < rows * groups; i += threads) {
      const std::uint32_t row = i / groups;
      const std::uint32_t column = i % groups * 4;
      const std::size_t angle = static_cast<std::size_t>(first_position + row) * half + column;
      const Four<float> cosine = load_four(problem.cosines + angle);
      const Four<float> sine = load_four(problem.sines + angle);
      Four<T> low = load_four(from + row * stride + column);
      Four<T> high = load_four(from + row * stride + column + half);
      for (int n = 0; n < 4; ++n) turn(low.at[n], high.at[n], cosine.at[n], sine.at[n]);
      store_four(to + row * kRow + column, low);
      store_four(to + row * kRow + column + half, high);
    }
  } else {
    const std::uint32_t groups = problem.head_width / 4;
    for (std::uint32_t i = thread; i < rows * groups; i += threads) {
      const std::uint32_t row = i / groups;
      const std::uint32_t column = i % groups * 4;
      store_four(to + row * kRow + column, load_four(from + row * stride + column));
    }
  }
  const std::uint32_t missing = kWidth - problem.head_width;
  for (std::uint32_t i = thread; i < rows * missing; i += threads) {
    to[i / missing * kRow + problem.head_width + i % missing] = from_float<T>(0.0F);
  }
}

template <typename T>
__device__ void zero_rows(T* rows, std::uint32_t count, std::uint32_t width, std::uint32_t thread,
                          std::uint32_t threads) {
  for (std::uint32_t i = thread; i < count * width; i += threads) rows[i] = from_float<T>(0.0F);
}

__device__ __forceinline__ void load_matrices(std::uint32_t (&to)[4], const void* from) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

__device__ __forceinline__ void load_transposed(std::uint32_t (&to)[4], const void* from) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// Computes sums += a [16, 16] · b [16, 8] in fp32, with one mma.
template <typename T>
__device__ __forceinline__ void multiply(float (&sums)[4], const std::uint32_t (&a)[4],
                                         std::uint32_t b0, std::uint32_t b1);
template <>
__device__ __forceinline__ void multiply<__half>(float (&sums)[4], const std::uint32_t (&a)[4],
                                                 std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void multiply<__nv_bfloat16>(float (&sums)[4],
                                                        const std::uint32_t (&a)[4],
                                                        std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The running softmax of 16 query rows. Each thread holds rows lane / 4 and lane / 4 + 8, and two
// of every eight columns of each row.
template <int kWidth>
struct Running {
  float sums[kWidth / 8][4] = {};  // sums of weight · value
  float maximum[2] = {kLowest, kLowest};
  float weights[2] = {};  // for each of the two rows, the sum of weights over this thread's columns
};

// Adds one block of keys and values to `running`. `query` is the tile's first query and `key` the
// block's first key, counted from the sequence's first row. Keys from `length` on are ignored.
template <int kWidth, typename T>
__device__ void attend_block(const AttentionProblem& problem,
                             const std::uint32_t (&queries)[kWidth / 16][4], const T* keys,
                             const T* values, std::uint32_t query, std::uint32_t key,
                             std::uint32_t length, float slope, Running<kWidth>& running) {
  constexpr std::uint32_t kRow = kWidth + kPad;
  const std::uint32_t lane = threadIdx.x % 32;
  float scores[kBlockKeys / 8][4] = {};
  // One load reads 16 columns of 16 keys as four 8×8 matrices.
  const std::uint32_t key_row = (lane / 16) * 8 + lane % 8;
  const std::uint32_t key_column = (lane / 8 % 2) * 8;
#pragma unroll
  for (int k = 0; k < kWidth / 16; ++k) {
#pragma unroll
    for (int n = 0; n < kBlockKeys / 16; ++n) {
      std::uint32_t b[4];
      load_matrices(b, keys + (n * 16 + key_row) * kRow + k * 16 + key_column);
      multiply<T>(scores[2 * n], queries[k], b[0], b[1]);
      multiply<T>(scores[2 * n + 1], queries[k], b[2], b[3]);
    }
  }
  float maximum[2] = {running.maximum[0], running.maximum[1]};
#pragma unroll
  for (int n = 0; n < kBlockKeys / 8; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t column = key + n * 8 + lane % 4 * 2 + i % 2;
      const std::uint32_t row = query + lane / 4 + i / 2 * 8;
      const float distance = fabsf(static_cast<float>(row) - static_cast<float>(column));
      const float score = scores[n][i] * problem.scale - slope * distance;
      scores[n][i] = column < length ? score : kLowest;
      maximum[i / 2] = fmaxf(maximum[i / 2], scores[n][i]);
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    maximum[half] = quad_max(maximum[half]);
    const float correction = exp2_fast(running.maximum[half] - maximum[half]);
    running.maximum[half] = maximum[half];
    running.weights[half] *= correction;
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n) {
      running.sums[n][2 * half] *= correction;
      running.sums[n][2 * half + 1] *= correction;
    }
  }
#pragma unroll
  for (int n = 0; n < kBlockKeys / 8; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      scores[n][i] = exp2_fast(scores[n][i] - maximum[i / 2]);
      running.weights[i / 2] += scores[n][i];
    }
  }
  // One load reads 16 columns of 16 values as four 8×8 matrices and transposes each.
  const std::uint32_t value_row = (lane / 8 % 2) * 8 + lane % 8;
  const std::uint32_t value_column = (lane / 16) * 8;
#pragma unroll
  for (int k = 0; k < kBlockKeys / 16; ++k) {
    const std::uint32_t weights[4] = {pack_two<T>(scores[2 * k][0], scores[2 * k][1]),
                                      pack_two<T>(scores[2 * k][2], scores[2 * k][3]),
                                      pack_two<T>(scores[2 * k + 1][0], scores[2 * k + 1][1]),
                                      pack_two<T>(scores[2 * k + 1][2], scores[2 * k + 1][3])};
#pragma unroll
    for (int n = 0; n < kWidth / 16; ++n) {
      std::uint32_t b[4];
      load_transposed(b, values + (k * 16 + value_row) * kRow + n * 16 + value_column);
      multiply<T>(running.sums[2 * n], weights, b[0], b[1]);
      multiply<T>(running.sums[2 * n + 1], weights, b[2], b[3]);
    }
  }
}

// Divides the sums by the sums of weights. Collects whole rows in `scratch` before writing them.
template <int kWidth, typename T>
__device__ void write_tile(const AttentionProblem& problem, Running<kWidth>& running, T* scratch,
                           T* out, std::size_t stride, std::uint32_t rows) {
  constexpr std::uint32_t kRow = kWidth + kPad;
  const std::uint32_t lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float scale = 1.0F / quad_sum(running.weights[half]);
    T* const row = scratch + (lane / 4 + half * 8) * kRow + lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n) {
      *reinterpret_cast<std::uint32_t*>(row + n * 8) =
          pack_two<T>(running.sums[n][2 * half] * scale, running.sums[n][2 * half + 1] * scale);
    }
  }
  __syncwarp();
  const std::uint32_t groups = problem.head_width / 4;
  for (std::uint32_t i = lane; i < rows * groups; i += 32) {
    const std::uint32_t column = i % groups * 4;
    store_four(out + i / groups * stride + column, load_four(scratch + i / groups * kRow + column));
  }
  __syncwarp();
}

// One block of threads computes one head of an item. Shared memory holds one chunk, `chunk_rows`
// keys and values, at a time. Each warp computes a tile of 16 query rows, then its next tile. If
// there are several chunks, all warps load each chunk together.
template <int kWidth, typename T>
__global__ void __launch_bounds__(kThreads)
    attention_kernel(AttentionProblem problem, std::uint32_t chunk_rows) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr std::uint32_t kRow = kWidth + kPad;
  T* const keys = reinterpret_cast<T*>(shared);
  T* const values = keys + chunk_rows * kRow;
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  T* const scratch = values + chunk_rows * kRow + warp * kTileRows * kRow;

  const AttentionItem item = problem.items[blockIdx.y];
  const std::uint32_t head = blockIdx.x;
  const HeadRows<T> rows_of(problem, item, head);
  const bool rotary = problem.cosines != nullptr;
  const float slope = slope_of(problem, head);

  const std::uint32_t chunks = (item.length + chunk_rows - 1) / chunk_rows;
  for (std::uint32_t round = item.first; round < item.last; round += kWarps * kTileRows) {
    const std::uint32_t query = round + warp * kTileRows;
    const std::uint32_t rows = query < item.last ? min(item.last - query, kTileRows) : 0;
    std::uint32_t queries[kWidth / 16][4] = {};
    if (rows > 0) {
      zero_rows(scratch + rows * kRow, kTileRows - rows, kRow, lane, 32);
      stage_rows<kWidth>(problem, rows_of.queries + query * rows_of.stride, rows_of.stride, rows,
                         query, rotary, scratch, lane, 32);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < kWidth / 16; ++k) {
        load_matrices(queries[k], scratch + (lane % 16) * kRow + k * 16 + (lane / 16) * 8);
      }
      __syncwarp();
    }
    Running<kWidth> running;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const std::uint32_t first_key = chunk * chunk_rows;
      const std::uint32_t count = min(item.length - first_key, chunk_rows);
      if (chunks > 1 || round == item.first) {
        __syncthreads();  // waits until all warps have read the previous chunk
        stage_rows<kWidth>(problem, rows_of.keys + first_key * rows_of.stride, rows_of.stride,
                           count, first_key, rotary, keys, threadIdx.x, kThreads);
        stage_rows<kWidth>(problem, rows_of.values + first_key * rows_of.stride, rows_of.stride,
                           count, first_key, false, values, threadIdx.x, kThreads);
        // Fills the last block with zeros, because 0 · uninitialised memory may be NaN.
        const std::uint32_t filled = (count + kBlockKeys - 1) / kBlockKeys * kBlockKeys - count;
        zero_rows(keys + count * kRow, filled, kRow, threadIdx.x, kThreads);
        zero_rows(values + count * kRow, filled, kRow, threadIdx.x, kThreads);
        __syncthreads();
      }
      if (rows == 0) continue;
      for (std::uint32_t block = 0; block < count; block += kBlockKeys) {
        attend_block<kWidth, T>(problem, queries, keys + block * kRow, values + block * kRow, query,
                                first_key + block, item.length, slope, running);
      }
    }
    if (rows > 0) {
      write_tile<kWidth>(problem, running, scratch, rows_of.out + query * rows_of.width,
                         rows_of.width, rows);
    }
  }
}

template <int kWidth, typename T>
void launch_attention(const AttentionCall& call, cudaStream_t stream) {
  const std::uint32_t blocks = (call.longest + kBlockKeys - 1) / kBlockKeys;
  const std::uint32_t chunk_rows = std::min(blocks * kBlockKeys, kChunkRows);
  const std::size_t rows = std::size_t{2} * chunk_rows + kWarps * kTileRows;
  const std::size_t bytes = rows * (kWidth + kPad) * sizeof(T);
  check_cuda(
      cudaFuncSetAttribute(attention_kernel<kWidth, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)),
      "cudaFuncSetAttribute");
  for_each_part(call, [&](dim3 grid, const AttentionProblem& problem) {
    attention_kernel<kWidth, T><<<grid, kThreads, bytes, stream>>>(problem, chunk_rows);
  });
}

template <typename T>
void attention_generic(const AttentionCall& call, cudaStream_t stream) {
  with_width(call, [&](auto width) { launch_attention<width(), T>(call, stream); });
}

}  // namespace virnucpro::cuda
