#pragma once

// Dense layers for GPUs of compute capability 8.0 or newer: CUTLASS's multistage kernels (cp.async,
// mma.sync) with epilogue visitors. One .cu file for each type includes this header.
#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/default_gemm_universal_with_visitor.h>

// Must follow the headers above: visitors.hpp needs their declarations, but does not include them.
#include <cutlass/epilogue/threadblock/fusion/visitors.hpp>
#include <type_traits>

#include "ops/activation_cuda.cuh"
#include "ops/gemm_cuda.hpp"
#include "ops/gemm_status_cuda.cuh"

namespace virnucpro::cuda {

namespace visitors = cutlass::epilogue::threadblock;
using cute::_0;
using cute::_1;

// The tile sizes and the size of the mma instruction for an element type.
template <class Element>
struct GenericTiles {  // fp16 and bf16
  using Block = cutlass::gemm::GemmShape<128, 128, 32>;
  using Warp = cutlass::gemm::GemmShape<64, 64, 32>;
  using Instruction = cutlass::gemm::GemmShape<16, 8, 16>;
  using Operator = cutlass::arch::OpMultiplyAdd;
  static constexpr int kStages = 4;
};

template <>
struct GenericTiles<float> {  // computes an fp32 product as three TF32 products
  using Block = cutlass::gemm::GemmShape<128, 64, 16>;
  using Warp = cutlass::gemm::GemmShape<64, 32, 16>;
  using Instruction = cutlass::gemm::GemmShape<16, 8, 8>;
  using Operator = cutlass::arch::OpMultiplyAddFastF32;
  static constexpr int kStages = 3;
};

template <class Element, Epilogue kEpilogue>
class GenericGemm {
  using Tiles = GenericTiles<Element>;
  using Out = std::conditional_t<kEpilogue == Epilogue::kBiasAdd, float, Element>;
  static constexpr int kAlign = 16 / static_cast<int>(sizeof(Element));
  static constexpr int kOutAlign = 16 / static_cast<int>(sizeof(Out));
  static constexpr auto kNearest = cutlass::FloatRoundStyle::round_to_nearest;
  using RowMajor = cutlass::layout::RowMajor;

  using ThreadMap = visitors::OutputTileThreadLayout<typename Tiles::Block, typename Tiles::Warp,
                                                     Out, kOutAlign, 1>;
  using Bias = visitors::VisitorRowBroadcast<ThreadMap, float, cute::Stride<_0, _1, std::int32_t>>;
  using Lines = cute::Stride<std::int64_t, _1, std::int64_t>;
  using Before = visitors::VisitorAuxLoad<ThreadMap, Out, Lines>;
  using Store = visitors::VisitorAuxStore<ThreadMap, Out, kNearest, Lines>;
  template <template <class> class Operation>
  using Compute = visitors::VisitorCompute<Operation, float, float, kNearest>;
  using Biased = visitors::Sm80EVT<Compute<cutlass::plus>, visitors::VisitorAccFetch, Bias>;

  // Defines the epilogue: a tree of operations on the accumulator, whose result is stored.
  template <Epilogue kKind, class = void>
  struct Choose {
    using Tree = Biased;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {{}, {call.bias, 0.0F, {_0{}, _1{}, 0}}, {}};
    }
  };
  template <class Unused>
  struct Choose<Epilogue::kBiasGelu, Unused> {
    using Tree = visitors::Sm80EVT<Compute<Gelu>, Biased>;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {Choose<Epilogue::kBias>::arguments(call), {}};
    }
  };
  template <class Unused>
  struct Choose<Epilogue::kBiasAdd, Unused> {
    using Tree = visitors::Sm80EVT<Compute<cutlass::plus>, Before, Biased>;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {{static_cast<Out*>(call.out), Out(0), lines(call)},
              Choose<Epilogue::kBias>::arguments(call),
              {}};
    }
  };
  template <class Unused>
  struct Choose<Epilogue::kGeluGate, Unused> {
    using Value = visitors::Sm80EVT<Compute<Gelu>, visitors::VisitorAccFetch>;
    using Tree = visitors::Sm80EVT<Compute<cutlass::multiplies>, Before, Value>;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {{static_cast<Out*>(call.out), Out(0), lines(call)}, {{}, {}}, {}};
    }
  };
  using Stored = visitors::Sm80EVT<Store, typename Choose<kEpilogue>::Tree>;

  using Kernel = typename cutlass::gemm::kernel::DefaultGemmWithVisitor<
      Element, RowMajor, cutlass::ComplexTransform::kNone, kAlign, Element,
      cutlass::layout::ColumnMajor, cutlass::ComplexTransform::kNone, kAlign, Out, RowMajor,
      kOutAlign, float, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
      typename Tiles::Block, typename Tiles::Warp, typename Tiles::Instruction, Stored,
      cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, Tiles::kStages,
      typename Tiles::Operator>::GemmKernel;
  using Adapter = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

  static Lines lines(const GemmCall& call) {
    return {static_cast<std::int64_t>(call.outputs), _1{}, 0};
  }

 public:
  static void run(const GemmCall& call, cudaStream_t stream) {
    const auto rows = static_cast<int>(call.rows);
    const auto outputs = static_cast<int>(call.outputs);
    const auto inputs = static_cast<int>(call.inputs);
    const typename Stored::Arguments epilogue{Choose<kEpilogue>::arguments(call),
                                              {static_cast<Out*>(call.out), lines(call)}};
    const typename Adapter::Arguments arguments(
        cutlass::gemm::GemmUniversalMode::kGemm, {rows, outputs, inputs}, 1, epilogue, call.x,
        call.weight, nullptr, nullptr, 0, 0, 0, 0, inputs, inputs, 0, 0);
    run_gemm<Adapter>(arguments, call, stream);
  }
};

template <class Element>
void gemm_generic(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  switch (epilogue) {
    case Epilogue::kNone:
    case Epilogue::kBias:
      return GenericGemm<Element, Epilogue::kBias>::run(call, stream);
    case Epilogue::kBiasGelu:
      return GenericGemm<Element, Epilogue::kBiasGelu>::run(call, stream);
    case Epilogue::kBiasAdd:
      return GenericGemm<Element, Epilogue::kBiasAdd>::run(call, stream);
    case Epilogue::kBiasAdd16:
      throw Error(ErrorKind::kInternal, "a 16-bit residual stream needs a Hopper GPU");
    case Epilogue::kGeluGate:
      return GenericGemm<Element, Epilogue::kGeluGate>::run(call, stream);
  }
}

}  // namespace virnucpro::cuda
