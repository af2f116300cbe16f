#pragma once

// Attention in 16-bit types with mma.sync, for GPUs of compute capability 8.0 or newer. One .cu
// file for each type includes this header.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "ops/attention_cuda.cuh"
#include "ops/attention_plan.hpp"
#include "ops/device_limits_cuda.hpp"
#include "ops/mma_cuda.cuh"
#include "ops/vector_cuda.cuh"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

inline constexpr std::uint32_t kThreads = 32 * kWarps;
inline constexpr std::uint32_t kTileRows = 16;  // query rows of a warp at a time, as in one mma
// Thread blocks that share a multiprocessor if registers and shared memory suffice. More blocks
// would leave too little of the L1 cache for the rotary tables, which all blocks read.
inline constexpr int kBlocksAtOnce = 3;

// Loads four numbers that no thread of the kernel writes, so that loads need not wait for stores.
template <typename T>
__device__ __forceinline__ Four<T> load_constant(const T* from) {
  using Raw = std::conditional_t<sizeof(T) == 4, float4, uint2>;
  const Raw raw = __ldg(reinterpret_cast<const Raw*>(from));
  return reinterpret_cast<const Four<T>&>(raw);
}

// Copies rows of a head to shared memory, without rotation. kSharing threads share the work;
// `thread` is this thread's index.
template <int kWidth, std::uint32_t kSharing, typename T>
__device__ void copy_rows(const AttentionProblem& problem, const T* from, std::size_t stride,
                          std::uint32_t rows, std::uint32_t to, std::uint32_t thread) {
  constexpr std::uint32_t kUnits = kWidth / 8;
  constexpr std::uint32_t kRowsAtOnce = kSharing / kUnits;
  const std::uint32_t unit = thread % kUnits;
  const bool there = unit < problem.head_width / 8;
  from += thread / kUnits * stride + (there ? unit * 8 : 0);
  for (std::uint32_t row = thread / kUnits; row < rows; row += kRowsAtOnce) {
    copy_async(to + unit_place<kWidth * 2>(row, unit), from, there ? 16 : 0);
    from += kRowsAtOnce * stride;
  }
}

// Four columns of the first half of a row and their partners in the second half.
template <typename T>
struct Pairs {
  Four<T> low;
  Four<T> high;
};

// Loads pairs of a row and rotates them. `position` is the row's in the sequence.
template <typename T>
__device__ __forceinline__ Pairs<T> rotated(const AttentionProblem& problem, const T* row,
                                            std::uint32_t position, std::uint32_t column) {
  const std::uint32_t half = problem.head_width / 2;
  const std::size_t angle = std::size_t{position} * half + column;
  const Four<float> cosine = load_constant(problem.cosines + angle);
  const Four<float> sine = load_constant(problem.sines + angle);
  Pairs<T> pairs{load_constant(row + column), load_constant(row + column + half)};
  for (int n = 0; n < 4; ++n) turn(pairs.low.at[n], pairs.high.at[n], cosine.at[n], sine.at[n]);
  return pairs;
}

// Returns the place of a number in shared memory that holds rows of kWidth numbers.
template <int kWidth, typename T>
__device__ __forceinline__ T* place_in(unsigned char* rows, std::uint32_t row,
                                       std::uint32_t column) {
  return reinterpret_cast<T*>(rows + unit_place<kWidth * 2>(row, column / 8)) + column % 8;
}

template <int kWidth, typename T>
__device__ __forceinline__ void store_pairs(const AttentionProblem& problem, unsigned char* rows,
                                            std::uint32_t row, std::uint32_t column,
                                            const Pairs<T>& pairs) {
  store_four(place_in<kWidth, T>(rows, row, column), pairs.low);
  store_four(place_in<kWidth, T>(rows, row, column + problem.head_width / 2), pairs.high);
}

// Fills the columns past the head's width with zeros.
template <int kWidth, std::uint32_t kSharing, typename T>
__device__ void clear_rest(const AttentionProblem& problem, unsigned char* to, std::uint32_t rows,
                           std::uint32_t thread) {
  const std::uint32_t missing = kWidth - problem.head_width;
  for (std::uint32_t i = thread; i < rows * missing; i += kSharing) {
    *place_in<kWidth, T>(to, i / missing, problem.head_width + i % missing) = from_float<T>(0.0F);
  }
}

// Copies a chunk's keys to shared memory and rotates them. `first` is the position of the first
// key.
template <int kWidth, typename T>
__device__ void rotate_keys(const AttentionProblem& problem, const T* from, std::size_t stride,
                            std::uint32_t rows, std::uint32_t first, unsigned char* to) {
  constexpr std::uint32_t kGroups = kWidth / 8;  // groups of four columns in half a row
  constexpr std::uint32_t kRowsAtOnce = kThreads / kGroups;
  const std::uint32_t column = threadIdx.x % kGroups * 4;
  if (column < problem.head_width / 2) {
#pragma unroll 6  // starts the loads of six rows before it waits for the first
    for (std::uint32_t row = threadIdx.x / kGroups; row < rows; row += kRowsAtOnce) {
      store_pairs<kWidth>(problem, to, row, column,
                          rotated(problem, from + row * stride, first + row, column));
    }
  }
  clear_rest<kWidth, kThreads, T>(problem, to, rows, threadIdx.x);
}

// A tile's queries, rotated, in a warp's registers. All loads start before the first is waited for.
template <int kWidth, typename T>
class RotatedQueries {
  static constexpr std::uint32_t kGroups = kWidth / 8;
  static constexpr std::uint32_t kRowsAtOnce = kGroups < 4 ? kPassRows : 32 / kGroups;

 public:
  __device__ RotatedQueries(const AttentionProblem& problem, const T* from, std::size_t stride,
                            std::uint32_t rows, std::uint32_t first)
      : column_(threadIdx.x % 32 % kGroups * 4),
        row_(threadIdx.x % 32 / kGroups),
        there_(column_ < problem.head_width / 2 && row_ < kRowsAtOnce) {
    if (!there_) return;
#pragma unroll
    for (std::uint32_t i = 0; i < kTileRows / kRowsAtOnce; ++i) {
      const std::uint32_t row = min(row_ + i * kRowsAtOnce, rows - 1);
      pairs_[i] = rotated(problem, from + row * stride, first + row, column_);
    }
  }

  // Stores the rows of a pass.
  __device__ void store(const AttentionProblem& problem, int pass, unsigned char* scratch) const {
    constexpr std::uint32_t kTimes = kPassRows / kRowsAtOnce;
    if (there_) {
#pragma unroll
      for (std::uint32_t i = 0; i < kTimes; ++i) {
        store_pairs<kWidth>(problem, scratch, row_ + i * kRowsAtOnce, column_,
                            pairs_[pass * kTimes + i]);
      }
    }
    clear_rest<kWidth, 32, T>(problem, scratch, kPassRows, threadIdx.x % 32);
  }

 private:
  std::uint32_t column_;
  std::uint32_t row_;
  bool there_;
  Pairs<T> pairs_[kTileRows / kRowsAtOnce];
};

// Reads the rows of a pass into the registers of an mma.
template <int kWidth>
__device__ void read_pass(std::uint32_t scratch, int pass,
                          std::uint32_t (&queries)[kWidth / 16][4]) {
  const std::uint32_t lane = threadIdx.x % 32;
  // Loads four matrices of 8×8 numbers. If kWidth is 16, there are only two: loads each twice.
#pragma unroll
  for (int k = 0; k < kWidth / 16; k += 2) {
    std::uint32_t loaded[4];
    load_matrices(loaded,
                  scratch + unit_place<kWidth * 2>(lane % 8, (k * 2 + lane / 8) % (kWidth / 8)));
    queries[k][pass] = loaded[0];
    queries[k][pass + 2] = loaded[1];
    if (k + 1 < kWidth / 16) {
      queries[k + 1][pass] = loaded[2];
      queries[k + 1][pass + 2] = loaded[3];
    }
  }
  __syncwarp();
}

// Loads a tile's queries into the registers of an mma. They pass through `scratch`, the warp's
// shared memory, kPassRows rows at a time. Rows after the last one get arbitrary numbers, which do
// no harm: each row of an mma's result depends only on the same row of queries.
template <int kWidth, bool kRotary, typename T>
__device__ void load_queries(const AttentionProblem& problem, const T* from, std::size_t stride,
                             std::uint32_t rows, std::uint32_t first, unsigned char* scratch,
                             std::uint32_t (&queries)[kWidth / 16][4]) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(scratch));
  if constexpr (kRotary) {
    const RotatedQueries<kWidth, T> tile(problem, from, stride, rows, first);
#pragma unroll
    for (int pass = 0; pass < 2; ++pass) {
      tile.store(problem, pass, scratch);
      __syncwarp();
      read_pass<kWidth>(address, pass, queries);
    }
  } else {
#pragma unroll
    for (int pass = 0; pass < 2; ++pass) {
      const std::uint32_t begin = pass * kPassRows;
      const std::uint32_t count = rows > begin ? min(rows - begin, kPassRows) : 0;
      copy_rows<kWidth, 32>(problem, from + begin * stride, stride, count, address,
                            threadIdx.x % 32);
      commit_copies();
      wait_for_copies<0>();
      __syncwarp();
      read_pass<kWidth>(address, pass, queries);
    }
  }
}

// The running softmax of 16 query rows. Each thread holds rows lane / 4 and lane / 4 + 8, and two
// of every eight columns of each row.
template <int kWidth>
struct Running {
  float sums[kWidth / 8][4] = {};  // sums of weight · value
  float maximum[2] = {kLowest, kLowest};
  float scaled[2] = {kLowest, kLowest};  // maximum · scale
  float weights[2] = {};  // for each of the two rows, the sum of weights over this thread's columns
};

// A block of keys and values, within the chunk of a sequence's keys that shared memory holds.
struct KeyBlock {
  std::uint32_t keys = 0;  // addresses of the chunk's first key and value
  std::uint32_t values = 0;
  std::uint32_t row = 0;     // the block's first row in the chunk
  std::uint32_t last = 0;    // the chunk's last row with a key
  std::uint32_t first = 0;   // position of the block's first key in the sequence
  std::uint32_t length = 0;  // rows of the sequence
};

// Adds a block of 16·kGroups keys to `running`. `query` is the tile's first query, counted from the
// sequence's first row. With kPartial, the block may have fewer keys; the chunk's last row is read
// in place of each missing key, which gets the weight 0. `slope` must be divided by the scale,
// because a weight is 2^(scale·(score − maximum)), which takes one multiply-add.
template <int kWidth, bool kRotary, int kGroups, bool kPartial, typename T>
__device__ void attend_block(const AttentionProblem& problem,
                             const std::uint32_t (&queries)[kWidth / 16][4], const KeyBlock& block,
                             std::uint32_t query, float slope, Running<kWidth>& running) {
  const std::uint32_t lane = threadIdx.x % 32;
  const auto row_of = [&block](std::uint32_t row) {
    return kPartial ? min(block.row + row, block.last) : block.row + row;
  };
  float scores[2 * kGroups][4] = {};
  // One load reads 16 columns of 16 keys as four 8×8 matrices.
  const std::uint32_t key_row = (lane / 16) * 8 + lane % 8;
#pragma unroll
  for (int n = 0; n < kGroups; ++n) {
    const std::uint32_t row = row_of(n * 16 + key_row);
#pragma unroll
    for (int k = 0; k < kWidth / 16; ++k) {
      std::uint32_t b[4];
      load_matrices(b, block.keys + unit_place<kWidth * 2>(row, k * 2 + lane / 8 % 2));
      Mma<T>::run(scores[2 * n], queries[k], b[0], b[1]);
      Mma<T>::run(scores[2 * n + 1], queries[k], b[2], b[3]);
    }
  }
  float maximum[2] = {running.maximum[0], running.maximum[1]};
#pragma unroll
  for (int n = 0; n < 2 * kGroups; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t column = block.first + n * 8 + lane % 4 * 2 + i % 2;
      float& score = scores[n][i];
      if constexpr (!kRotary) {
        const std::uint32_t row = query + lane / 4 + i / 2 * 8;
        score -= slope * fabsf(static_cast<float>(row) - static_cast<float>(column));
      }
      if (kPartial && column >= block.length) score = kLowest;
      maximum[i / 2] = fmaxf(maximum[i / 2], score);
    }
  }
  float scaled[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    maximum[half] = quad_max(maximum[half]);
    scaled[half] = maximum[half] * problem.scale;
    const float correction = exp2_fast(running.scaled[half] - scaled[half]);
    running.maximum[half] = maximum[half];
    running.scaled[half] = scaled[half];
    running.weights[half] *= correction;
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n) {
      running.sums[n][2 * half] *= correction;
      running.sums[n][2 * half + 1] *= correction;
    }
  }
#pragma unroll
  for (int n = 0; n < 2 * kGroups; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      scores[n][i] = exp2_fast(fmaf(scores[n][i], problem.scale, -scaled[i / 2]));
      running.weights[i / 2] += scores[n][i];
    }
  }
  // One load reads 16 columns of 16 values as four 8×8 matrices and transposes each.
  const std::uint32_t value_row = (lane / 8 % 2) * 8 + lane % 8;
#pragma unroll
  for (int k = 0; k < kGroups; ++k) {
    const std::uint32_t row = row_of(k * 16 + value_row);
    const std::uint32_t weights[4] = {pack_two<T>(scores[2 * k][0], scores[2 * k][1]),
                                      pack_two<T>(scores[2 * k][2], scores[2 * k][3]),
                                      pack_two<T>(scores[2 * k + 1][0], scores[2 * k + 1][1]),
                                      pack_two<T>(scores[2 * k + 1][2], scores[2 * k + 1][3])};
#pragma unroll
    for (int n = 0; n < kWidth / 16; ++n) {
      std::uint32_t b[4];
      load_transposed(b, block.values + unit_place<kWidth * 2>(row, n * 2 + lane / 16));
      Mma<T>::run(running.sums[2 * n], weights, b[0], b[1]);
      Mma<T>::run(running.sums[2 * n + 1], weights, b[2], b[3]);
    }
  }
}

// Adds a chunk's `count` keys to `running`, in blocks of kBlockKeys keys and a smaller last block.
template <int kWidth, bool kRotary, typename T>
__device__ void attend_chunk(const AttentionProblem& problem,
                             const std::uint32_t (&queries)[kWidth / 16][4], KeyBlock block,
                             std::uint32_t count, std::uint32_t query, float slope,
                             Running<kWidth>& running) {
  constexpr int kAll = kBlockKeys / 16;
  for (; block.row + kBlockKeys <= count; block.row += kBlockKeys, block.first += kBlockKeys) {
    attend_block<kWidth, kRotary, kAll, false, T>(problem, queries, block, query, slope, running);
  }
  const auto last = [&](auto groups) {
    attend_block<kWidth, kRotary, groups(), true, T>(problem, queries, block, query, slope,
                                                     running);
  };
  const std::uint32_t groups = (count - block.row + 15) / 16;
  static_assert(kAll == 4);
  if (groups == 1) last(std::integral_constant<int, 1>{});
  if (groups == 2) last(std::integral_constant<int, 2>{});
  if (groups == 3) last(std::integral_constant<int, 3>{});
  if (groups == 4) last(std::integral_constant<int, 4>{});
}

// Divides the sums by the sums of weights and stores `rows` rows at `out`. The rows pass through
// `scratch`, so that whole lines are written.
template <int kWidth, typename T>
__device__ void write_tile(const AttentionProblem& problem, const Running<kWidth>& running,
                           unsigned char* scratch, T* out, std::size_t stride, std::uint32_t rows) {
  const std::uint32_t lane = threadIdx.x % 32;
  constexpr std::uint32_t kUnits = kWidth / 8;
  const std::uint32_t unit = lane % kUnits;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float scale = 1.0F / quad_sum(running.weights[half]);
#pragma unroll
    for (int n = 0; n < kWidth / 8; ++n) {
      *reinterpret_cast<std::uint32_t*>(scratch + unit_place<kWidth * 2>(lane / 4, n) +
                                        lane % 4 * 4) =
          pack_two<T>(running.sums[n][2 * half] * scale, running.sums[n][2 * half + 1] * scale);
    }
    __syncwarp();
    const std::uint32_t begin = half * kPassRows;
    const std::uint32_t count = rows > begin ? min(rows - begin, kPassRows) : 0;
    for (std::uint32_t row = lane / kUnits; row < count; row += 32 / kUnits) {
      if (unit >= problem.head_width / 8) break;
      *reinterpret_cast<uint4*>(out + (begin + row) * stride + unit * 8) =
          *reinterpret_cast<const uint4*>(scratch + unit_place<kWidth * 2>(row, unit));
    }
    __syncwarp();
  }
}

// One block of threads computes one head of an item. Shared memory holds one chunk, `chunk_rows`
// keys and values, at a time. Each warp computes a tile of 16 query rows, then its next tile. If
// there are several chunks, all warps load each chunk together.
template <int kWidth, bool kRotary, typename T>
__global__ void __launch_bounds__(kThreads, kWidth <= 64 ? kBlocksAtOnce : 2)
    attention_kernel(AttentionProblem problem, std::uint32_t chunk_rows) {
  extern __shared__ __align__(128) unsigned char shared[];
  const auto keys = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const std::uint32_t values = keys + chunk_rows * kWidth * 2;
  const std::uint32_t warp = threadIdx.x / 32;
  unsigned char* const scratch = shared + (2 * chunk_rows + warp * kPassRows) * kWidth * 2;
  const AttentionItem item = problem.items[blockIdx.y];
  const std::uint32_t head = blockIdx.x;
  const HeadRows<T> rows_of(problem, item, head);
  const float slope = slope_of(problem, head) / problem.scale;

  const std::uint32_t chunks = (item.length + chunk_rows - 1) / chunk_rows;
  for (std::uint32_t round = item.first; round < item.last; round += kWarps * kTileRows) {
    const std::uint32_t query = round + warp * kTileRows;
    const std::uint32_t rows = query < item.last ? min(item.last - query, kTileRows) : 0;
    std::uint32_t queries[kWidth / 16][4];
    Running<kWidth> running;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const std::uint32_t first_key = chunk * chunk_rows;
      const std::uint32_t count = min(item.length - first_key, chunk_rows);
      const bool loads = chunks > 1 || round == item.first;
      if (loads) {
        __syncthreads();  // waits until all warps have read the previous chunk
        copy_rows<kWidth, kThreads>(problem, rows_of.values + first_key * rows_of.stride,
                                    rows_of.stride, count, values, threadIdx.x);
        commit_copies();
        const T* const from = rows_of.keys + first_key * rows_of.stride;
        if constexpr (kRotary) {
          rotate_keys<kWidth>(problem, from, rows_of.stride, count, first_key, shared);
        } else {
          copy_rows<kWidth, kThreads>(problem, from, rows_of.stride, count, keys, threadIdx.x);
          commit_copies();
        }
      }
      if (chunk == 0 && rows > 0) {
        load_queries<kWidth, kRotary>(problem, rows_of.queries + query * rows_of.stride,
                                      rows_of.stride, rows, query, scratch, queries);
      }
      if (loads) {
        wait_for_copies<0>();
        __syncthreads();
      }
      if (rows == 0) continue;
      const KeyBlock block{.keys = keys,
                           .values = values,
                           .last = count - 1,
                           .first = first_key,
                           .length = item.length};
      attend_chunk<kWidth, kRotary, T>(problem, queries, block, count, query, slope, running);
    }
    if (rows > 0) {
      write_tile<kWidth>(problem, running, scratch, rows_of.out + query * rows_of.width,
                         rows_of.width, rows);
    }
  }
}

template <int kWidth, bool kRotary, typename T>
void launch_attention(const AttentionCall& call, cudaStream_t stream) {
  const std::uint32_t rows = attention_rows(kWidth, call.longest, device_limits().shared_bytes);
  const std::size_t bytes = attention_bytes(kWidth, rows);
  auto* const kernel = attention_kernel<kWidth, kRotary, T>;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "cudaFuncSetAttribute");
  for_each_part(call, [&](dim3 grid, const AttentionProblem& problem) {
    kernel<<<grid, kThreads, bytes, stream>>>(problem, rows);
  });
}

template <typename T>
void attention_generic(const AttentionCall& call, cudaStream_t stream) {
  with_width(call, [&](auto width) {
    if (call.cosines != nullptr) return launch_attention<width(), true, T>(call, stream);
    return launch_attention<width(), false, T>(call, stream);
  });
}

}  // namespace virnucpro::cuda
