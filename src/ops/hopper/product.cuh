#pragma once

// Matrix products for Hopper: CUTLASS's persistent, warp-specialised kernels (TMA, wgmma) with the
// caller's epilogue and our own order of tiles. Compile with NDEBUG, because CUTLASS's device
// asserts make ptxas serialise every wgmma.
#ifndef NDEBUG
#error "compile this with -DNDEBUG"
#endif

#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>

#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/util/packed_stride.hpp>
#include <type_traits>

#include "ops/cutlass_cuda.cuh"
#include "ops/device_limits_cuda.hpp"
#include "ops/gemm_cuda.hpp"
#include "ops/tile_walk.hpp"

namespace virnucpro::cuda {

struct BandedScheduler {};  // tag that makes CUTLASS use BandedTileScheduler

// CUTLASS's persistent scheduler, but with the tiles in TileWalk's order. Its parameter
// log_swizzle_size_ is otherwise unused; here it stores TileWalk's band and rows.
class BandedTileScheduler
    : public cutlass::gemm::kernel::detail::StaticPersistentTileScheduler<BandedTileScheduler> {
  using Static = cutlass::gemm::kernel::detail::StaticPersistentTileScheduler<BandedTileScheduler>;
  using Plain = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90;
  static constexpr int kBandBits = 10;

 public:
  using Static::Static;
  using Params = Static::Params;
  using RasterOrder = Params::RasterOrder;
  using RasterOrderOptions = Params::RasterOrderOptions;
  using Pipeline = Plain::Pipeline;
  using PipelineStorage = Plain::PipelineStorage;
  using ThrottlePipeline = Plain::ThrottlePipeline;
  using ThrottlePipelineStorage = Plain::ThrottlePipelineStorage;
  using CLCResponse = Plain::CLCResponse;
  using SharedStorage = Plain::SharedStorage;

  struct Arguments {
    int max_swizzle_size = 1;
    RasterOrderOptions raster_order = RasterOrderOptions::AlongN;
    int band = 1;  // width of a band, in columns of clusters
  };

  template <class Problem, class Tile, class Cluster>
  static Params to_underlying_arguments(Problem problem, Tile tile, Cluster cluster,
                                        const cutlass::KernelHardwareInfo& hardware,
                                        const Arguments& arguments, void* workspace = nullptr,
                                        std::uint32_t = 1, std::uint32_t = 1) {
    Params params =
        Static::to_underlying_arguments(problem, tile, cluster, hardware, plain(), workspace);
    params.log_swizzle_size_ = static_cast<std::int32_t>(
        (params.problem_tiles_m_ << kBandBits) | static_cast<std::uint32_t>(arguments.band));
    return params;
  }

  template <class Problem, class Tile, class Cluster>
  static dim3 get_grid_shape(const Params& params, Problem problem, Tile tile, Cluster cluster,
                             cutlass::KernelHardwareInfo hardware, Arguments = {}, bool = true) {
    return Static::get_grid_shape(params, problem, tile, cluster, hardware, plain());
  }

  static bool can_implement(const Arguments& arguments) {
    return arguments.band > 0 && arguments.band < 1 << kBandBits;
  }

  static CUTLASS_DEVICE cute::tuple<std::int32_t, std::int32_t> get_work_idx_m_and_n(
      std::uint64_t block, const cutlass::FastDivmodU64Pow2& cluster_columns,
      const cutlass::FastDivmodU64Pow2& cluster_rows, const cutlass::FastDivmodU64& columns,
      std::int32_t packed, RasterOrder) {
    std::uint64_t cluster = 0;
    std::uint64_t column_in_cluster = 0;
    cluster_columns(cluster, column_in_cluster, block);
    const auto [row_in_cluster, ignored_column, ignored_batch] = cute::block_id_in_cluster();
    const TileWalk walk{.rows = static_cast<std::uint32_t>(packed) >> kBandBits,
                        .columns = static_cast<std::uint32_t>(columns.divisor),
                        .band = static_cast<std::uint32_t>(packed) & ((1U << kBandBits) - 1U)};
    const TileWalk::Tile tile = walk.at(static_cast<std::uint32_t>(cluster));
    return {static_cast<std::int32_t>(tile.row * cluster_rows.divisor + row_in_cluster),
            static_cast<std::int32_t>(tile.column * cluster_columns.divisor + column_in_cluster)};
  }

  template <class Problem, class Accumulator>
  static std::size_t get_workspace_size(const Arguments&, Problem,
                                        const cutlass::KernelHardwareInfo&, std::uint32_t,
                                        std::uint32_t = 1, std::uint32_t = 1) {
    return 0;
  }

  template <class Problem, class Accumulator>
  static cutlass::Status initialize_workspace(const Arguments&, void*, cudaStream_t, Problem,
                                              const cutlass::KernelHardwareInfo&, std::uint32_t,
                                              std::uint32_t = 1, std::uint32_t = 1,
                                              cutlass::CudaHostAdapter* = nullptr) {
    return cutlass::Status::kSuccess;
  }

 private:
  static Static::Arguments plain() {
    return {.max_swizzle_size = 1, .raster_order = RasterOrderOptions::AlongN};
  }
};

}  // namespace virnucpro::cuda

namespace cutlass::gemm::kernel::detail {
template <class Arch, class Tile, class Cluster, std::uint32_t Stages>
struct TileSchedulerSelector<virnucpro::cuda::BandedScheduler, Arch, Tile, Cluster, Stages> {
  using Scheduler = virnucpro::cuda::BandedTileScheduler;
};
}  // namespace cutlass::gemm::kernel::detail

namespace virnucpro::cuda {

namespace fusion = cutlass::epilogue::fusion;
using cute::_1;
using cute::_2;
using cute::Int;
using cute::Shape;

inline constexpr auto kNearest = cutlass::FloatRoundStyle::round_to_nearest;

// An output tile. Two warp groups compute it together (cooperative), or each group computes its own
// tile (pingpong), so that one group's epilogue overlaps the other group's products.
template <int Rows, int Columns, bool Pingpong, int EpilogueColumns = 0>
struct TileChoice {
  static constexpr int kRows = Rows;
  static constexpr int kColumns = Columns;
  static constexpr bool kPingpong = Pingpong;
  using MainSchedule = std::conditional_t<Pingpong, cutlass::gemm::KernelTmaWarpSpecializedPingpong,
                                          cutlass::gemm::KernelTmaWarpSpecializedCooperative>;
  using EpilogueSchedule = std::conditional_t<Pingpong, cutlass::epilogue::TmaWarpSpecialized,
                                              cutlass::epilogue::TmaWarpSpecializedCooperative>;
  using EpilogueTile =
      std::conditional_t<EpilogueColumns == 0, cutlass::epilogue::collective::EpilogueTileAuto,
                         Shape<Int<Pingpong ? 64 : 128>, Int<EpilogueColumns>>>;
};

// Computes out = epilogue(x·Wᵀ) in one kernel. The parameter Tree describes the epilogue by its
// members Tree (CUTLASS's type), Out (the stored type), Source (the old output's type, or void) and
// arguments(call).
template <class Element, class Accumulator, class Tile, class Tree, class Choice>
class Sm90Product {
  static constexpr int kAlign = 16 / static_cast<int>(sizeof(Element));
  using Cluster = Shape<_2, _1, _1>;
  using Out = typename Tree::Out;
  static constexpr int kOutAlign = 16 / static_cast<int>(sizeof(Out));
  using RowMajor = cutlass::layout::RowMajor;
  using CollectiveEpilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      typename Choice::EpilogueTile, Accumulator, float, typename Tree::Source, RowMajor, kOutAlign,
      Out, RowMajor, kOutAlign, typename Choice::EpilogueSchedule,
      typename Tree::Tree>::CollectiveOp;
  using CollectiveMain = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, RowMajor, kAlign, Element,
      cutlass::layout::ColumnMajor, kAlign, Accumulator, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename CollectiveEpilogue::SharedStorage))>,
      typename Choice::MainSchedule>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, CollectiveMain,
                                                      CollectiveEpilogue, BandedScheduler>;
  using Adapter = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

  static typename Kernel::Arguments arguments(const GemmCall& call) {
    const int rows = static_cast<int>(call.rows);
    const int outputs = static_cast<int>(call.outputs);
    const int inputs = static_cast<int>(call.inputs);
    const auto stride = [](auto kind, int lines, int width) {
      return cutlass::make_cute_packed_stride(kind, cute::make_shape(lines, width, 1));
    };
    typename Kernel::Arguments all{};
    all.mode = cutlass::gemm::GemmUniversalMode::kGemm;
    all.problem_shape = {rows, outputs, inputs, 1};
    all.mainloop.ptr_A = static_cast<const Element*>(call.x);
    all.mainloop.dA = stride(typename Kernel::StrideA{}, rows, inputs);
    all.mainloop.ptr_B = static_cast<const Element*>(call.weight);
    all.mainloop.dB = stride(typename Kernel::StrideB{}, outputs, inputs);
    all.epilogue.thread = Tree::arguments(call);
    if constexpr (!std::is_void_v<typename Tree::Source>) {
      all.epilogue.ptr_C = static_cast<const Out*>(call.out);
    }
    all.epilogue.dC = stride(typename Kernel::StrideC{}, rows, outputs);
    all.epilogue.ptr_D = static_cast<Out*>(call.out);
    all.epilogue.dD = stride(typename Kernel::StrideD{}, rows, outputs);
    const DeviceLimits limits = device_limits();
    all.hw_info.sm_count = limits.multiprocessors;
    all.scheduler.band = static_cast<int>(band_columns(
        {.outputs = call.outputs, .inputs = call.inputs, .element_bytes = sizeof(Element)},
        Choice::kColumns, limits.l2_bytes));
    return all;
  }

 public:
  static void run(const GemmCall& call, cudaStream_t stream) {
    run_cutlass<Adapter>(arguments(call), call, stream);
  }
};

// The tile of a TileChoice as a CUTLASS shape. Its K dimension spans 128 bytes.
template <class Choice, int kElementBytes>
using TileOf = Shape<Int<Choice::kRows>, Int<Choice::kColumns>, Int<128 / kElementBytes>>;

}  // namespace virnucpro::cuda
