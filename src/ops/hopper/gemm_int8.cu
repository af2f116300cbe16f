// Dense layers for Hopper with 8-bit operands and exact 32-bit sums.
#include "ops/activation_cuda.cuh"
#include "ops/gemm_int8_cuda.hpp"
#include "ops/hopper/product.cuh"

namespace virnucpro::cuda {
namespace {

// Computes sum · row's scale · channel's scale + bias, in fp32, then GELU or the addition to `out`.
template <Int8Epilogue kEpilogue, class Tile>
struct Int8Tree {
  using Out = cutlass::half_t;
  using Source = std::conditional_t<kEpilogue == Int8Epilogue::kBiasAdd, Out, void>;
  using Channel = fusion::Sm90RowBroadcast<0, Tile, float>;
  using Scaled = fusion::Sm90EVT<fusion::Sm90Compute<cutlass::multiplies, float, float, kNearest>,
                                 fusion::Sm90ColBroadcast<0, Tile, float>, fusion::Sm90AccFetch>;
  template <class Result>
  using Biased = fusion::Sm90EVT<
      fusion::Sm90Compute<cutlass::homogeneous_multiply_add, Result, float, kNearest>, Scaled,
      Channel, Channel>;
  template <class Result>
  static typename Biased<Result>::Arguments biased(const GemmCall& call) {
    return {{{call.row_scales}, {}, {}}, {call.channel_scales}, {call.bias}, {}};
  }

  template <Int8Epilogue kKind, class = void>
  struct Choose {
    using Tree = Biased<Out>;
    static typename Tree::Arguments arguments(const GemmCall& call) { return biased<Out>(call); }
  };
  template <class Unused>
  struct Choose<Int8Epilogue::kBiasGelu, Unused> {
    using Tree = fusion::Sm90EVT<fusion::Sm90Compute<Gelu, Out, float, kNearest>, Biased<float>>;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {biased<float>(call), {}};
    }
  };
  template <class Unused>
  struct Choose<Int8Epilogue::kBiasAdd, Unused> {
    using Tree = fusion::Sm90EVT<fusion::Sm90Compute<cutlass::plus, Out, float, kNearest>,
                                 fusion::Sm90SrcFetch<Source>, Biased<float>>;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {{}, biased<float>(call), {}};
    }
  };
  using Tree = typename Choose<kEpilogue>::Tree;
  static typename Tree::Arguments arguments(const GemmCall& call) {
    return Choose<kEpilogue>::arguments(call);
  }
};

template <Int8Epilogue kEpilogue, class Choice>
using Int8Gemm = Sm90Product<std::int8_t, std::int32_t, TileOf<Choice, 1>,
                             Int8Tree<kEpilogue, TileOf<Choice, 1>>, Choice>;

}  // namespace

void gemm_sm90_int8(const GemmCall& call, Int8Epilogue epilogue, cudaStream_t stream) {
  using Wide = TileChoice<128, 192, true>;
  using Square = TileChoice<128, 128, true>;
  using Deep = TileChoice<128, 256, false>;
  switch (epilogue) {
    case Int8Epilogue::kBias:
      return Int8Gemm<Int8Epilogue::kBias, Wide>::run(call, stream);
    case Int8Epilogue::kBiasGelu:
      return Int8Gemm<Int8Epilogue::kBiasGelu, Wide>::run(call, stream);
    case Int8Epilogue::kBiasAdd:
      if (call.inputs > call.outputs) {
        return Int8Gemm<Int8Epilogue::kBiasAdd, Deep>::run(call, stream);
      }
      return Int8Gemm<Int8Epilogue::kBiasAdd, Square>::run(call, stream);
  }
}

}  // namespace virnucpro::cuda
