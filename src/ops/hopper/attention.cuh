#pragma once

// Attention for Hopper with heads of width 64: wgmma on tiles of 64 queries, with keys and values
// in shared memory. A warp group computes one head of a whole sequence. Frames are short (168
// tokens for 500 bases), so all keys fit and are read once. Longer sequences are cut into blocks.
// One .cu file for each type includes this header. Compile with NDEBUG (see hopper/product.cuh).
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED

#include <cutlass/arch/barrier.h>
#include <cutlass/cutlass.h>

#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/tensor.hpp>

#include "ops/attention_cuda.cuh"

namespace virnucpro::cuda {

inline constexpr int kHeadWidth = 64;
inline constexpr std::uint32_t kGroupThreads = 128;  // threads that issue one wgmma together
inline constexpr int kTileQueries = 64;              // query rows of one wgmma
// Elements in 16 bytes, which a thread copies at once. A head's row has eight such pieces.
inline constexpr std::uint32_t kPiece = 8;
inline constexpr std::uint32_t kPieces = kHeadWidth / kPiece;

template <typename T>
struct alignas(16) Piece {
  T at[kPiece];
};

// Returns a piece's element offset in shared memory, in wgmma's 128-byte swizzle.
__device__ __forceinline__ std::uint32_t swizzled(std::uint32_t row, std::uint32_t piece) {
  return row * kHeadWidth + (piece ^ (row % 8)) * kPiece;
}

template <typename T>
__device__ __forceinline__ Piece<T>& piece_at(T* rows, std::uint32_t row, std::uint32_t piece) {
  return *reinterpret_cast<Piece<T>*>(rows + swizzled(row, piece));
}

// Starts to copy 16 bytes to shared memory. Writes zeros if `there` is false.
template <typename T>
__device__ __forceinline__ void copy_piece(T* to, const T* from, bool there) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(there ? 16 : 0)
               : "memory");
}

// All threads of the block start to copy `count` rows; rows from `count` to `rows` become zero.
template <typename T>
__device__ void copy_rows(T* to, const T* from, std::size_t stride, std::uint32_t count,
                          std::uint32_t rows) {
  const std::uint32_t piece = threadIdx.x % kPieces;
  for (std::uint32_t row = threadIdx.x / kPieces; row < rows; row += blockDim.x / kPieces) {
    const bool there = row < count;
    copy_piece(to + swizzled(row, piece), from + (there ? row : 0) * stride + piece * kPiece,
               there);
  }
}

// Rotation angles for two pieces of a head: one piece, and the piece half a head's width later.
struct PieceAngles {
  __device__ PieceAngles(const AttentionProblem& problem, std::uint32_t position,
                         std::uint32_t piece) {
    const std::size_t first = std::size_t{position} * (kHeadWidth / 2) + piece * kPiece;
#pragma unroll
    for (std::uint32_t i = 0; i < kPiece; i += 4) {
      cosines[i / 4] = load_four(problem.cosines + first + i);
      sines[i / 4] = load_four(problem.sines + first + i);
    }
  }

  template <typename T>
  __device__ void apply(Piece<T>& low, Piece<T>& high) const {
    Piece<T> new_low = low;
    Piece<T> new_high = high;
#pragma unroll
    for (std::uint32_t n = 0; n < kPiece; ++n) {
      turn(new_low.at[n], new_high.at[n], cosines[n / 4].at[n % 4], sines[n / 4].at[n % 4]);
    }
    low = new_low;
    high = new_high;
  }

  Four<float> cosines[kPiece / 4];
  Four<float> sines[kPiece / 4];
};

// Rotates all queries and keys of a sequence, which are in shared memory.
template <typename T>
__device__ void turn_rows(const AttentionProblem& problem, T* queries, T* keys,
                          std::uint32_t count) {
  constexpr std::uint32_t kPairs = kPieces / 2;
  const std::uint32_t piece = threadIdx.x % kPairs;
  // Eight threads (a quarter of a warp) access rows r and r + 4. swizzled() puts these rows in
  // different halves of the banks, which avoids bank conflicts.
  const std::uint32_t number = threadIdx.x / kPairs;
  const std::uint32_t first = number / 8 * 8 + number % 8 / 2 + number % 2 * 4;
  for (std::uint32_t row = first; row < count; row += kGroupThreads / kPairs) {
    const PieceAngles angles(problem, row, piece);
    angles.apply(piece_at(queries, row, piece), piece_at(queries, row, piece + kPairs));
    angles.apply(piece_at(keys, row, piece), piece_at(keys, row, piece + kPairs));
  }
}

template <typename T>
struct CuteType;
template <>
struct CuteType<__half> {
  using Type = cutlass::half_t;
};
template <>
struct CuteType<__nv_bfloat16> {
  using Type = cutlass::bfloat16_t;
};

// Returns the index of this thread in its warp group.
__device__ __forceinline__ std::uint32_t group_thread() {
  return threadIdx.x % kGroupThreads;
}

// Attention of 64 queries, computed by one warp group for kKeys keys at a time. A thread holds two
// rows of each result, and two of every eight columns in these rows.
template <typename T, int kKeys, bool kAlibi>
class QueryTile {
  using Number = typename CuteType<T>::Type;
  using Keys = cute::Int<kKeys>;
  using Queries = cute::Int<kTileQueries>;
  using Width = cute::Int<kHeadWidth>;
  using ScoreMma = decltype(cute::make_tiled_mma(
      cute::GMMA::ss_op_selector<Number, Number, float, cute::Shape<Queries, Keys, Width>,
                                 cute::GMMA::Major::K, cute::GMMA::Major::K>()));
  using ValueMma = decltype(cute::make_tiled_mma(
      cute::GMMA::rs_op_selector<Number, Number, float, cute::Shape<Queries, Width, Keys>,
                                 cute::GMMA::Major::K, cute::GMMA::Major::MN>()));
  using RowAtom = cute::GMMA::Layout_K_SW128_Atom<Number>;
  using ColumnAtom = cute::GMMA::Layout_MN_SW128_Atom<Number>;
  using QueryLayout = decltype(cute::tile_to_shape(RowAtom{}, cute::Shape<Queries, Width>{}));
  using KeyLayout = decltype(cute::tile_to_shape(RowAtom{}, cute::Shape<Keys, Width>{}));
  using ValueLayout = decltype(cute::tile_to_shape(ColumnAtom{}, cute::Shape<Width, Keys>{}));
  using Scores = decltype(cute::partition_fragment_C(ScoreMma{}, cute::Shape<Queries, Keys>{}));
  using Sums = decltype(cute::partition_fragment_C(ValueMma{}, cute::Shape<Queries, Width>{}));
  static constexpr int kValues = kKeys / 2;  // scores of a thread, in both of its rows

 public:
  __device__ void reset() {
    cute::clear(sums_);
    maximum_[0] = maximum_[1] = kLowest;
    weights_[0] = weights_[1] = 0;
  }

  // Adds `count` keys and their values to the running sums. `key` and `query` are the positions in
  // the sequence of the first key and of the tile's first query.
  __device__ void attend(const T* queries, const T* keys, const T* values, std::uint32_t count,
                         std::uint32_t query, std::uint32_t key, float scale, float slope) {
    Scores scores;
    multiply_keys(queries, keys, scores);
    if constexpr (kAlibi) {
      add_distances(scores, query, key, scale, slope);
      scale = 1;
    }
    hide_missing(scores, count);
    apply_softmax(scores, scale);
    multiply_values(values, scores);
  }

  // Writes the first `count` rows of the result to `out`. Uses `queries` as a buffer, because no
  // thread needs the queries any more.
  __device__ void write(T* queries, std::uint32_t count, T* out, std::size_t width) {
    const std::uint32_t warp_row = group_thread() / 32 * 16;
    const std::uint32_t lane = threadIdx.x % 32;
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float scale = 1.0F / quad_sum(weights_[half]);
      const std::uint32_t row = warp_row + lane / 4 + half * 8;
      if (row >= count) continue;
#pragma unroll
      for (int n = 0; n < kHeadWidth / 8; ++n) {
        *reinterpret_cast<std::uint32_t*>(queries + swizzled(row, n) + lane % 4 * 2) =
            pack_two<T>(sums_(n * 4 + half * 2) * scale, sums_(n * 4 + half * 2 + 1) * scale);
      }
    }
    __syncwarp();
#pragma unroll
    for (std::uint32_t i = lane; i < 16 * kPieces; i += 32) {
      const std::uint32_t row = warp_row + i / kPieces;
      if (row >= count) continue;
      *reinterpret_cast<Piece<T>*>(out + row * width + i % kPieces * kPiece) =
          piece_at(queries, row, i % kPieces);
    }
  }

 private:
  __device__ static void multiply_keys(const T* queries, const T* keys, Scores& scores) {
    ScoreMma mma;
    const auto thread = mma.get_thread_slice(group_thread());
    const auto a = thread.partition_fragment_A(cute::make_tensor(
        cute::make_smem_ptr(reinterpret_cast<const Number*>(queries)), QueryLayout{}));
    const auto b = thread.partition_fragment_B(
        cute::make_tensor(cute::make_smem_ptr(reinterpret_cast<const Number*>(keys)), KeyLayout{}));
    cute::warpgroup_fence_operand(scores);
    cute::warpgroup_arrive();
    mma.accumulate_ = cute::GMMA::ScaleOut::Zero;
#pragma unroll
    for (int k = 0; k < cute::size<2>(a); ++k) {
      cute::gemm(mma, a(cute::_, cute::_, k), b(cute::_, cute::_, k), scores);
      mma.accumulate_ = cute::GMMA::ScaleOut::One;
    }
    cute::warpgroup_commit_batch();
    cute::warpgroup_wait<0>();
    cute::warpgroup_fence_operand(scores);
  }

  __device__ static void add_distances(Scores& scores, std::uint32_t query, std::uint32_t key,
                                       float scale, float slope) {
    const std::uint32_t lane = threadIdx.x % 32;
    const float row = static_cast<float>(query + group_thread() / 32 * 16 + lane / 4);
    const float column = static_cast<float>(key + lane % 4 * 2);
#pragma unroll
    for (int i = 0; i < kValues; ++i) {
      const float distance = (row + static_cast<float>(i / 2 % 2 * 8)) -
                             (column + static_cast<float>(i / 4 * 8 + i % 2));
      scores(i) = scores(i) * scale - slope * fabsf(distance);
    }
  }

  __device__ static void hide_missing(Scores& scores, std::uint32_t count) {
    const std::uint32_t column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n) {
      if ((n + 1) * 8 <= count) continue;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (n * 8 + column + i % 2 >= count) scores(n * 4 + i) = kLowest;
      }
    }
  }

  // Replaces each score by its weight, exp2(scale·(score − maximum)). Scales the earlier sums from
  // the old maximum to the new maximum.
  __device__ void apply_softmax(Scores& scores, float scale) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float maximum = maximum_[half];
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n) {
        maximum = fmaxf(maximum, fmaxf(scores(n * 4 + half * 2), scores(n * 4 + half * 2 + 1)));
      }
      maximum = quad_max(maximum);
      const float correction = exp2_fast((maximum_[half] - maximum) * scale);
      maximum_[half] = maximum;
      const float offset = maximum * scale;
      float weights = 0;
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
        for (int i = n * 4 + half * 2; i < n * 4 + half * 2 + 2; ++i) {
          scores(i) = exp2_fast(fmaf(scores(i), scale, -offset));
          weights += scores(i);
        }
      }
      weights_[half] = weights_[half] * correction + weights;
#pragma unroll
      for (int n = 0; n < kHeadWidth / 8; ++n) {
        sums_(n * 4 + half * 2) *= correction;
        sums_(n * 4 + half * 2 + 1) *= correction;
      }
    }
  }

  __device__ void multiply_values(const T* values, const Scores& scores) {
    // Converts the weights to T, in the layout of the next product's left operand.
    using Operand = cute::Layout<
        cute::Shape<cute::Shape<cute::_2, cute::_2, cute::_2>, cute::_1, cute::Int<kKeys / 16>>,
        cute::Stride<cute::Stride<cute::_1, cute::_2, cute::_4>, cute::_0, cute::_8>>;
    auto weights = cute::make_tensor<Number>(Operand{});
#pragma unroll
    for (int i = 0; i < kValues; i += 2) {
      *reinterpret_cast<std::uint32_t*>(&weights(i)) = pack_two<T>(scores(i), scores(i + 1));
    }
    ValueMma mma;
    const auto b =
        mma.get_thread_slice(group_thread())
            .partition_fragment_B(cute::make_tensor(
                cute::make_smem_ptr(reinterpret_cast<const Number*>(values)), ValueLayout{}));
    cute::warpgroup_fence_operand(weights);
    cute::warpgroup_fence_operand(sums_);
    cute::warpgroup_arrive();
#pragma unroll
    for (int k = 0; k < cute::size<2>(b); ++k) {
      cute::gemm(mma, weights(cute::_, cute::_, k), b(cute::_, cute::_, k), sums_);
    }
    cute::warpgroup_commit_batch();
    cute::warpgroup_wait<0>();
    cute::warpgroup_fence_operand(sums_);
  }

  Sums sums_;  // sums of weight · value
  float maximum_[2];
  float weights_[2];  // sums of weights over this thread's columns
};

template <int kPending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

__device__ __forceinline__ void end_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until wgmma in every thread can read all copies except the last kPending groups.
template <int kPending>
__device__ __forceinline__ void publish_copies() {
  wait_for_copies<kPending>();
  cutlass::arch::fence_view_async_shared();
  __syncthreads();
}

// Returns how many thread blocks share a multiprocessor, so that some copy while others compute.
constexpr int whole_blocks(int keys) {
  return keys > 112 ? 3 : keys > 64 ? 4 : 6;
}

// Computes sequences of at most kKeys rows. One warp group computes all tiles of queries.
template <typename T, int kKeys, bool kAlibi>
__global__ void __launch_bounds__(kGroupThreads, whole_blocks(kKeys))
    whole_attention_kernel(AttentionProblem problem) {
  extern __shared__ __align__(1024) unsigned char shared[];
  // The last tile may read past the queries into the keys; results of those rows are not written.
  T* const queries = reinterpret_cast<T*>(shared);
  T* const keys = queries + kKeys * kHeadWidth;
  T* const values = keys + kKeys * kHeadWidth;
  const AttentionItem item = problem.items[blockIdx.y];
  if (item.length > kWholeRows) return;
  const HeadRows<T> rows(problem, item, blockIdx.x);

  copy_rows(queries, rows.queries, rows.stride, item.length, item.length);
  copy_rows(keys, rows.keys, rows.stride, item.length, item.length);
  end_copies();
  copy_rows(values, rows.values, rows.stride, item.length, kKeys);
  end_copies();
  if constexpr (!kAlibi) {
    wait_for_copies<1>();
    __syncthreads();
    turn_rows(problem, queries, keys, item.length);
  }
  publish_copies<0>();
  const float slope = slope_of(problem, blockIdx.x);
  for (std::uint32_t first = 0; first < item.length; first += kTileQueries) {
    QueryTile<T, kKeys, kAlibi> tile;
    T* const tile_queries = queries + first * kHeadWidth;
    tile.reset();
    tile.attend(tile_queries, keys, values, item.length, first, 0, problem.scale, slope);
    tile.write(tile_queries, min(item.length - first, kTileQueries), rows.out + first * rows.width,
               rows.width);
  }
}

// Rotates the queries and keys of a cut sequence once, in device memory. Otherwise every block of
// queries would rotate all keys again.
template <typename T>
__global__ void __launch_bounds__(kGroupThreads) turn_cut_kernel(AttentionProblem problem) {
  constexpr std::uint32_t kPairs = kPieces / 2;
  const AttentionItem item = problem.items[blockIdx.y];
  if (item.length <= kWholeRows) return;
  const HeadRows<T> rows(problem, item, blockIdx.x);
  const std::uint32_t piece = threadIdx.x % kPairs;
  for (std::uint32_t row = item.first + threadIdx.x / kPairs; row < item.last;
       row += kGroupThreads / kPairs) {
    const PieceAngles angles(problem, row, piece);
    for (T* const line : {rows.queries + row * rows.stride, rows.keys + row * rows.stride}) {
      auto* const pieces = reinterpret_cast<Piece<T>*>(line);
      angles.apply(pieces[piece], pieces[piece + kPairs]);
    }
  }
}

// Keys in one chunk of a cut sequence. A larger chunk would need too many registers for two blocks
// per multiprocessor.
inline constexpr int kCutKeys = 96;
inline constexpr std::uint32_t kCutThreads = kCutRows / kTileQueries * kGroupThreads;

// Starts to copy a chunk to shared memory: kCutKeys keys, followed by their values.
template <typename T>
__device__ void copy_chunk(T* chunk, const HeadRows<T>& rows, std::uint32_t key,
                           std::uint32_t length) {
  const std::uint32_t count = key < length ? min(length - key, kCutKeys) : 0;
  const std::size_t first = key * rows.stride;
  copy_rows(chunk, rows.keys + first, rows.stride, count, count);
  copy_rows(chunk + kCutKeys * kHeadWidth, rows.values + first, rows.stride, count,
            count > 0 ? kCutKeys : 0);
  end_copies();
}

// Computes one item of a cut sequence. Each warp group has one tile of queries; all groups share a
// chunk of keys. The next chunk is copied while the current chunk is used.
template <typename T, bool kAlibi>
__global__ void __launch_bounds__(kCutThreads, 2) cut_attention_kernel(AttentionProblem problem) {
  extern __shared__ __align__(1024) unsigned char shared[];
  T* const queries = reinterpret_cast<T*>(shared);
  T* const chunks = queries + kCutRows * kHeadWidth;
  constexpr std::uint32_t kChunk = 2 * kCutKeys * kHeadWidth;  // elements of a chunk
  const AttentionItem item = problem.items[blockIdx.y];
  if (item.length <= kWholeRows) return;
  const HeadRows<T> rows(problem, item, blockIdx.x);
  const float slope = slope_of(problem, blockIdx.x);
  const std::uint32_t first = item.first + threadIdx.x / kGroupThreads * kTileQueries;
  T* const tile_queries = queries + (first - item.first) * kHeadWidth;

  copy_rows(queries, rows.queries + item.first * rows.stride, rows.stride, item.last - item.first,
            kCutRows);
  copy_chunk(chunks, rows, 0, item.length);
  QueryTile<T, kCutKeys, kAlibi> tile;
  tile.reset();
  for (std::uint32_t key = 0, half = 0; key < item.length; key += kCutKeys, half ^= 1U) {
    copy_chunk(chunks + (half ^ 1U) * kChunk, rows, key + kCutKeys, item.length);
    publish_copies<1>();
    const T* const keys = chunks + half * kChunk;
    tile.attend(tile_queries, keys, keys + kCutKeys * kHeadWidth, min(item.length - key, kCutKeys),
                first, key, problem.scale, slope);
    __syncthreads();  // waits until no thread reads the chunk
  }
  const std::uint32_t count = first < item.last ? min(item.last - first, kTileQueries) : 0;
  tile.write(tile_queries, count, rows.out + first * rows.width, rows.width);
}

template <typename Kernel>
void launch(Kernel kernel, std::uint32_t threads, std::size_t shared_rows,
            std::size_t element_bytes, const AttentionCall& call, cudaStream_t stream) {
  const std::size_t bytes = shared_rows * kHeadWidth * element_bytes;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "cudaFuncSetAttribute");
  for_each_part(call, [&](dim3 grid, const AttentionProblem& problem) {
    kernel<<<grid, threads, bytes, stream>>>(problem);
  });
}

template <typename T, int kKeys, bool kAlibi>
void attend_whole(const AttentionCall& call, cudaStream_t stream) {
  launch(whole_attention_kernel<T, kKeys, kAlibi>, kGroupThreads, std::size_t{3} * kKeys, sizeof(T),
         call, stream);
}

template <typename T, bool kAlibi>
void attend_cut(const AttentionCall& call, cudaStream_t stream) {
  if constexpr (!kAlibi) launch(turn_cut_kernel<T>, kGroupThreads, 0, sizeof(T), call, stream);
  launch(cut_attention_kernel<T, kAlibi>, kCutThreads, kCutRows + std::size_t{4} * kCutKeys,
         sizeof(T), call, stream);
}

// Selects the kernel by the batch's longest sequence. A sequence's bits do not depend on the
// choice, because missing keys only add zeros at the end of each sum.
template <typename T, bool kAlibi>
void attend(const AttentionCall& call, cudaStream_t stream) {
  if (call.longest <= 64) return attend_whole<T, 64, kAlibi>(call, stream);
  if (call.longest <= 112) return attend_whole<T, 112, kAlibi>(call, stream);
  attend_whole<T, kWholeRows, kAlibi>(call, stream);
  if (call.longest > kWholeRows) attend_cut<T, kAlibi>(call, stream);
}

template <typename T>
void attention_sm90(const AttentionCall& call, Attention for_other_widths, cudaStream_t stream) {
  if (call.head_width != kHeadWidth) return for_other_widths(call, stream);
  if (call.slopes == nullptr) return attend<T, false>(call, stream);
  attend<T, true>(call, stream);
}

}  // namespace virnucpro::cuda
