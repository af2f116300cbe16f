// Dense layers for Hopper with 8-bit operands and exact 32-bit sums.
#include "ops/hopper/product.cuh"

namespace virnucpro::cuda {
namespace {

// Computes sum · row's scale · channel's scale + bias, in fp32, then GELU or the addition to `out`.
template <Epilogue kEpilogue, class Tile>
struct Int8Tree {
  using Out = cutlass::half_t;
  using Source = std::conditional_t<kEpilogue == Epilogue::kBiasAdd16, Out, void>;
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

  template <Epilogue kKind, class = void>
  struct Choose {
    using Tree = Biased<Out>;
    static typename Tree::Arguments arguments(const GemmCall& call) { return biased<Out>(call); }
  };
  template <class Unused>
  struct Choose<Epilogue::kBiasGelu, Unused> {
    using Tree = fusion::Sm90EVT<fusion::Sm90Compute<Gelu, Out, float, kNearest>, Biased<float>>;
    static typename Tree::Arguments arguments(const GemmCall& call) {
      return {biased<float>(call), {}};
    }
  };
  template <class Unused>
  struct Choose<Epilogue::kBiasAdd16, Unused> {
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

template <Epilogue kEpilogue, class Choice>
using Int8Gemm = Sm90Product<std::int8_t, std::int32_t, TileOf<Choice, 1>,
                             Int8Tree<kEpilogue, TileOf<Choice, 1>>, Choice>;

}  // namespace

void gemm_sm90_int8(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  using Wide = TileChoice<128, 192, true>;
  using Square = TileChoice<128, 128, true>;
  using Deep = TileChoice<128, 256, false>;
  if (epilogue == Epilogue::kBias) return Int8Gemm<Epilogue::kBias, Wide>::run(call, stream);
  if (epilogue == Epilogue::kBiasGelu) {
    return Int8Gemm<Epilogue::kBiasGelu, Wide>::run(call, stream);
  }
  if (call.inputs > call.outputs) return Int8Gemm<Epilogue::kBiasAdd16, Deep>::run(call, stream);
  return Int8Gemm<Epilogue::kBiasAdd16, Square>::run(call, stream);
}

}  // namespace virnucpro::cuda
