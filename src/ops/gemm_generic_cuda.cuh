#pragma once

// Dense layers for GPUs of compute capability 8.0 or newer, with mma.sync and cp.async. One .cu
// file for each type includes this header.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ops/activation_cuda.cuh"
#include "ops/device_limits_cuda.hpp"
#include "ops/gemm_cuda.hpp"
#include "ops/mma_cuda.cuh"
#include "ops/product_plan.hpp"
#include "ops/tile_walk.hpp"
#include "ops/vector_cuda.cuh"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

// An epilogue of a kernel: the stored type, and what the kernel reads beside the sums.
template <typename Element, Epilogue kEpilogue>
struct GenericEpilogue {
  static constexpr bool kScales = std::is_same_v<Element, std::int8_t>;
  static constexpr bool kBias = kEpilogue != Epilogue::kGeluGate;
  static constexpr bool kAdds =
      kEpilogue == Epilogue::kBiasAdd || kEpilogue == Epilogue::kBiasAdd16;
  static constexpr bool kReadsOut = kAdds || kEpilogue == Epilogue::kGeluGate;
  static constexpr bool kGelu =
      kEpilogue == Epilogue::kBiasGelu || kEpilogue == Epilogue::kGeluGate;
  using Narrow = std::conditional_t<kScales, __half, Element>;
  using Out = std::conditional_t<kEpilogue == Epilogue::kBiasAdd, float, Narrow>;
};

// Returns the place of a unit of weights, like unit_place(). The order of units is another one,
// because load_matrices() reads lines 0, 1, 4, 5, 8, 9, 12 and 13 together (see WarpPart).
template <int kLine>
__device__ __forceinline__ std::uint32_t weight_place(std::uint32_t line, std::uint32_t unit) {
  static_assert(kLine == 64 || kLine == 128);
  const std::uint32_t order = kLine == 64 ? line / 4 % 4 : line / 4 % 4 * 2 + line % 2;
  return line * kLine + (unit ^ order) * 16;
}

// Loads the tile's slabs into shared memory, one after the other.
template <typename Tile>
class SlabLoader {
  static constexpr int kUnits = Tile::kSlab / 16;
  static constexpr int kRowsAtOnce = Tile::kThreads / kUnits;
  static constexpr int kInputs = Tile::kRows / kRowsAtOnce;
  static constexpr int kWeights = Tile::kColumns / kRowsAtOnce;

 public:
  // The last row is loaded in place of rows past the end; the results of such rows are not stored.
  __device__ SlabLoader(const GemmCall& call, std::size_t line_bytes, TileWalk::Tile tile) {
    const std::uint32_t unit = threadIdx.x % kUnits;
    const std::uint32_t row = threadIdx.x / kUnits;
    left_ = static_cast<int>(line_bytes) - static_cast<int>(unit * 16);
    input_place_ = unit_place<Tile::kSlab>(row, unit);
    weight_place_ = Tile::kInputBytes + weight_place<Tile::kSlab>(row, unit);
    const auto line = [&](const void* from, std::size_t first, int i, std::size_t rows) {
      const std::size_t at = min(first + row + i * kRowsAtOnce, rows - 1);
      return static_cast<const std::byte*>(from) + at * line_bytes + unit * 16;
    };
#pragma unroll
    for (int i = 0; i < kInputs; ++i) {
      inputs_[i] = line(call.x, std::size_t{tile.row} * Tile::kRows, i, call.rows);
    }
#pragma unroll
    for (int i = 0; i < kWeights; ++i) {
      weights_[i] = line(call.weight, std::size_t{tile.column} * Tile::kColumns, i, call.outputs);
    }
  }

  // Starts to copy the next slab to the stage at `stage`. Bytes past the end of a line become 0.
  __device__ void start(std::uint32_t stage) {
    const std::uint32_t bytes = left_ > 0 ? 16 : 0;
#pragma unroll
    for (int i = 0; i < kInputs; ++i) {
      copy_async(stage + input_place_ + i * kRowsAtOnce * Tile::kSlab, inputs_[i], bytes);
      inputs_[i] += Tile::kSlab;
    }
#pragma unroll
    for (int i = 0; i < kWeights; ++i) {
      copy_async(stage + weight_place_ + i * kRowsAtOnce * Tile::kSlab, weights_[i], bytes);
      weights_[i] += Tile::kSlab;
    }
    left_ -= Tile::kSlab;
  }

 private:
  int left_;  // bytes of a line that are left, from this thread's unit on
  std::uint32_t input_place_;
  std::uint32_t weight_place_;
  const std::byte* inputs_[kInputs];
  const std::byte* weights_[kWeights];
};

// A warp's part of a tile. Thread `lane` holds rows lane / 4 and lane / 4 + 8 of every 16 rows, and
// columns 4·(lane % 4) … + 3 of every 16 columns, so that it can store 4 numbers at once. For this,
// one mma computes columns 0, 1, 4, 5, 8, 9, 12 and 13 of the 16, and a second mma the others.
template <typename Element, typename Tile>
class WarpPart {
  static constexpr int kSteps = Tile::kSlab / 32;

 public:
  static constexpr int kHigh = Tile::kWarpRows / 16;     // groups of 16 rows
  static constexpr int kWide = Tile::kWarpColumns / 16;  // groups of 16 columns
  using Sum = typename Mma<Element>::Sum;

  __device__ WarpPart() {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t warp = threadIdx.x / 32;
    first_row_ = warp % Tile::kWarpsDown * Tile::kWarpRows;
    first_column_ = warp / Tile::kWarpsDown * Tile::kWarpColumns;
    const std::uint32_t input_row = first_row_ + lane % 16;
    const std::uint32_t weight_row = first_column_ + lane % 8 / 2 * 4 + lane % 2 + lane / 16 * 2;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      input_places_[step] = unit_place<Tile::kSlab>(input_row, 2 * step + lane / 16);
      weight_places_[step] =
          Tile::kInputBytes + weight_place<Tile::kSlab>(weight_row, 2 * step + lane / 8 % 2);
    }
  }

  // Loads the operands of step `step` (32 bytes of every row) of the slab at `stage`.
  __device__ void fetch(int buffer, std::uint32_t stage, int step) {
#pragma unroll
    for (int m = 0; m < kHigh; ++m) {
      load_matrices(inputs_[buffer][m], stage + input_places_[step] + m * 16 * Tile::kSlab);
    }
#pragma unroll
    for (int n = 0; n < kWide; ++n) {
      load_matrices(weights_[buffer][n], stage + weight_places_[step] + n * 16 * Tile::kSlab);
    }
  }

  __device__ void multiply(int buffer) {
#pragma unroll
    for (int m = 0; m < kHigh; ++m) {
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        const int n = m % 2 == 0 ? i : kWide - 1 - i;  // successive mmas share an operand
        const std::uint32_t(&weights)[4] = weights_[buffer][n];
        Mma<Element>::run(sums_[m][n][0], inputs_[buffer][m], weights[0], weights[1]);
        Mma<Element>::run(sums_[m][n][1], inputs_[buffer][m], weights[2], weights[3]);
      }
    }
  }

  // Row and column of this thread's first number, in the tile.
  __device__ std::uint32_t row() const {
    return first_row_ + threadIdx.x % 32 / 4;
  }
  __device__ std::uint32_t column() const {
    return first_column_ + threadIdx.x % 4 * 4;
  }

  // Returns four sums side by side.
  __device__ Four<float> sums(int m, int half, int n) const {
    return {static_cast<float>(sums_[m][n][0][2 * half]),
            static_cast<float>(sums_[m][n][0][2 * half + 1]),
            static_cast<float>(sums_[m][n][1][2 * half]),
            static_cast<float>(sums_[m][n][1][2 * half + 1])};
  }

 private:
  std::uint32_t first_row_;
  std::uint32_t first_column_;
  std::uint32_t input_places_[kSteps];
  std::uint32_t weight_places_[kSteps];
  Sum sums_[kHigh][kWide][2][4] = {};
  std::uint32_t inputs_[2][kHigh][4];
  std::uint32_t weights_[2][kWide][4];
};

// Computes the part's sums over all slabs. While one step is multiplied, the next step's operands
// are loaded from shared memory, and later slabs are copied from global memory.
template <typename Element, typename Tile>
__device__ void sum_slabs(SlabLoader<Tile>& loader, std::uint32_t shared, int slabs,
                          WarpPart<Element, Tile>& part) {
  constexpr int kSteps = Tile::kSlab / 32;
#pragma unroll
  for (int stage = 0; stage < Tile::kStages - 1; ++stage) {
    if (stage < slabs) loader.start(shared + stage * Tile::kStageBytes);
    commit_copies();
  }
  wait_for_copies<Tile::kStages - 2>();
  __syncthreads();
  part.fetch(0, shared, 0);
  int stage = 0;
  int free_stage = Tile::kStages - 1;
  for (int slab = 0; slab < slabs; ++slab) {
    const int next = stage + 1 == Tile::kStages ? 0 : stage + 1;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      if (step + 1 == kSteps) {
        wait_for_copies<Tile::kStages - 2>();
        __syncthreads();  // waits for the next slab, and until all warps have read this one
        part.fetch((step + 1) % 2, shared + next * Tile::kStageBytes, 0);
      } else {
        part.fetch((step + 1) % 2, shared + stage * Tile::kStageBytes, step + 1);
      }
      if (step == 0) {
        if (slab + Tile::kStages - 1 < slabs) loader.start(shared + free_stage * Tile::kStageBytes);
        commit_copies();
        free_stage = free_stage + 1 == Tile::kStages ? 0 : free_stage + 1;
      }
      part.multiply(step % 2);
    }
    stage = next;
  }
}

// Applies the epilogue to the part's sums and stores the results. While 16 columns are stored, the
// old outputs of the next 16 columns are loaded.
template <typename Element, Epilogue kEpilogue, typename Tile>
__device__ void store_part(const GemmCall& call, TileWalk::Tile tile,
                           const WarpPart<Element, Tile>& part) {
  using Kind = GenericEpilogue<Element, kEpilogue>;
  using Out = typename Kind::Out;
  using Part = WarpPart<Element, Tile>;
  const std::size_t first_row = std::size_t{tile.row} * Tile::kRows + part.row();
  const std::size_t first_column = std::size_t{tile.column} * Tile::kColumns + part.column();
  Out* const first = static_cast<Out*>(call.out) + first_row * call.outputs + first_column;
  const auto row_of = [](int m, int half) { return static_cast<unsigned>(m * 16 + half * 8); };
  const auto inside = [&](int m, int half) { return first_row + row_of(m, half) < call.rows; };
  const auto place = [&](int m, int half, int n) {
    return first + row_of(m, half) * call.outputs + n * 16;
  };

  Four<Out> old[2][Part::kHigh][2];
  const auto fetch_old = [&](int n) {
    if constexpr (Kind::kReadsOut) {
      if (n >= Part::kWide || first_column + n * 16 >= call.outputs) return;
#pragma unroll
      for (int m = 0; m < Part::kHigh; ++m) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          if (inside(m, half)) old[n % 2][m][half] = load_four(place(m, half, n));
        }
      }
    }
  };
  float row_scales[Part::kHigh][2];
  if constexpr (Kind::kScales) {
#pragma unroll
    for (int m = 0; m < Part::kHigh; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        row_scales[m][half] = inside(m, half) ? call.row_scales[first_row + row_of(m, half)] : 0;
      }
    }
  }

  fetch_old(0);
#pragma unroll
  for (int n = 0; n < Part::kWide; ++n) {
    fetch_old(n + 1);
    const std::size_t column = first_column + n * 16;
    if (column >= call.outputs) break;
    Four<float> bias{};
    Four<float> channel_scales{};
    if constexpr (Kind::kBias) bias = load_four(call.bias + column);
    if constexpr (Kind::kScales) channel_scales = load_four(call.channel_scales + column);
#pragma unroll
    for (int m = 0; m < Part::kHigh; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (!inside(m, half)) continue;
        Four<float> values = part.sums(m, half, n);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          float& value = values.at[i];
          if constexpr (Kind::kScales) {
            value = fmaf(value * row_scales[m][half], channel_scales.at[i], bias.at[i]);
          } else if constexpr (Kind::kBias) {
            value += bias.at[i];
          }
          if constexpr (Kind::kGelu) value = gelu(value);
          if constexpr (Kind::kAdds) value = to_float(old[n % 2][m][half].at[i]) + value;
          if constexpr (kEpilogue == Epilogue::kGeluGate)
            value *= to_float(old[n % 2][m][half].at[i]);
        }
        store_four(place(m, half, n), converted<Out>(values));
      }
    }
  }
}

template <typename Element, Epilogue kEpilogue, typename Tile>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    generic_product(GemmCall call, TileWalk walk) {
  extern __shared__ __align__(128) unsigned char shared[];
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const TileWalk::Tile tile = walk.at(blockIdx.x);
  const std::size_t line_bytes = call.inputs * sizeof(Element);
  SlabLoader<Tile> loader(call, line_bytes, tile);
  WarpPart<Element, Tile> part;
  sum_slabs(loader, address, static_cast<int>((line_bytes + Tile::kSlab - 1) / Tile::kSlab), part);
  store_part<Element, kEpilogue>(call, tile, part);
}

template <typename Element, Epilogue kEpilogue, typename Tile>
void run_tiles(const GemmCall& call, const DeviceLimits& limits, cudaStream_t stream) {
  const auto tiles = [](std::size_t numbers, int tile) {
    return static_cast<std::uint32_t>((numbers + tile - 1) / tile);
  };
  const TileWalk walk{
      .rows = tiles(call.rows, Tile::kRows),
      .columns = tiles(call.outputs, Tile::kColumns),
      .band = band_columns(
          {.outputs = call.outputs, .inputs = call.inputs, .element_bytes = sizeof(Element)},
          Tile::kColumns, limits.l2_bytes)};
  auto* const kernel = generic_product<Element, kEpilogue, Tile>;
  check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kBytes),
      "cudaFuncSetAttribute");
  kernel<<<walk.rows * walk.columns, Tile::kThreads, Tile::kBytes, stream>>>(call, walk);
  check_cuda(cudaGetLastError(), "launch of the GPU kernel for a dense layer");
}

template <typename Element, Epilogue kEpilogue>
void run_generic(const GemmCall& call, cudaStream_t stream) {
  constexpr bool kReadsOut = GenericEpilogue<Element, kEpilogue>::kReadsOut;
  DeviceLimits limits = device_limits();
  if (call.shared_bytes != 0) limits.shared_bytes = call.shared_bytes;
  const TileKind kind = product_tile(call.inputs * sizeof(Element), kReadsOut, limits.shared_bytes);
  if constexpr (kReadsOut) {
    if (kind == TileKind::kTwin) {
      return run_tiles<Element, kEpilogue, TwinTile>(call, limits, stream);
    }
  }
  if (kind == TileKind::kWide) {
    return run_tiles<Element, kEpilogue, WideTile>(call, limits, stream);
  }
  run_tiles<Element, kEpilogue, LeanTile>(call, limits, stream);
}

template <typename Element>
void gemm_generic(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  switch (epilogue) {
    case Epilogue::kNone:
    case Epilogue::kBias:
      return run_generic<Element, Epilogue::kBias>(call, stream);
    case Epilogue::kBiasGelu:
      return run_generic<Element, Epilogue::kBiasGelu>(call, stream);
    case Epilogue::kBiasAdd:
      return run_generic<Element, Epilogue::kBiasAdd>(call, stream);
    case Epilogue::kBiasAdd16:
      return run_generic<Element, Epilogue::kBiasAdd16>(call, stream);
    case Epilogue::kGeluGate:
      return run_generic<Element, Epilogue::kGeluGate>(call, stream);
  }
}

}  // namespace virnucpro::cuda
