// Dense layers in fp32 for GPUs of compute capability 8.0 or newer: CUTLASS's multistage kernels
// with epilogue visitors. A product is three TF32 products (Ootomo and Yokota 2022,
// arXiv:2203.03341), with the error of a plain fp32 product.
#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/default_gemm_universal_with_visitor.h>

// Must follow the headers above: visitors.hpp needs their declarations, but does not include them.
#include <cutlass/epilogue/threadblock/fusion/visitors.hpp>

#include "ops/cutlass_cuda.cuh"

namespace virnucpro::cuda {
namespace {

namespace visitors = cutlass::epilogue::threadblock;
using cute::_0;
using cute::_1;

template <Epilogue kEpilogue>
class Fp32Gemm {
  using Block = cutlass::gemm::GemmShape<128, 64, 16>;
  using Warp = cutlass::gemm::GemmShape<64, 32, 16>;
  using Instruction = cutlass::gemm::GemmShape<16, 8, 8>;
  static constexpr int kStages = 3;
  static constexpr int kAlign = 4;
  static constexpr auto kNearest = cutlass::FloatRoundStyle::round_to_nearest;
  using RowMajor = cutlass::layout::RowMajor;

  using ThreadMap = visitors::OutputTileThreadLayout<Block, Warp, float, kAlign, 1>;
  using Bias = visitors::VisitorRowBroadcast<ThreadMap, float, cute::Stride<_0, _1, std::int32_t>>;
  using Lines = cute::Stride<std::int64_t, _1, std::int64_t>;
  using Before = visitors::VisitorAuxLoad<ThreadMap, float, Lines>;
  using Store = visitors::VisitorAuxStore<ThreadMap, float, kNearest, Lines>;
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
      return {{static_cast<float*>(call.out), 0, lines(call)},
              Choose<Epilogue::kBias>::arguments(call),
              {}};
    }
  };
  template <class Unused>
  struct Choose<Epilogue::kGeluGate, Unused> {
    using Value = visitors::Sm80EVT<Compute<Gelu>, visitors::VisitorAccFetch>;
    using Tree = visitors::Sm80EVT<Compute<cutlass::multiplies>, Before, Value>;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {{static_cast<float*>(call.out), 0, lines(call)}, {{}, {}}, {}};
    }
  };
  using Stored = visitors::Sm80EVT<Store, typename Choose<kEpilogue>::Tree>;

  using Kernel = typename cutlass::gemm::kernel::DefaultGemmWithVisitor<
      float, RowMajor, cutlass::ComplexTransform::kNone, kAlign, float,
      cutlass::layout::ColumnMajor, cutlass::ComplexTransform::kNone, kAlign, float, RowMajor,
      kAlign, float, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, Block, Warp,
      Instruction, Stored, cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, kStages,
      cutlass::arch::OpMultiplyAddFastF32>::GemmKernel;
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
                                              {static_cast<float*>(call.out), lines(call)}};
    run_cutlass<Adapter>({cutlass::gemm::GemmUniversalMode::kGemm,
                          {rows, outputs, inputs},
                          1,
                          epilogue,
                          call.x,
                          call.weight,
                          nullptr,
                          nullptr,
                          0,
                          0,
                          0,
                          0,
                          inputs,
                          inputs,
                          0,
                          0},
                         call, stream);
  }
};

}  // namespace

void gemm_generic_fp32(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  switch (epilogue) {
    case Epilogue::kNone:
    case Epilogue::kBias:
      return Fp32Gemm<Epilogue::kBias>::run(call, stream);
    case Epilogue::kBiasGelu:
      return Fp32Gemm<Epilogue::kBiasGelu>::run(call, stream);
    case Epilogue::kBiasAdd:
    case Epilogue::kBiasAdd16:
      return Fp32Gemm<Epilogue::kBiasAdd>::run(call, stream);
    case Epilogue::kGeluGate:
      return Fp32Gemm<Epilogue::kGeluGate>::run(call, stream);
  }
}

}  // namespace virnucpro::cuda
