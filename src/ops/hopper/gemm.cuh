#pragma once

// Dense layers for Hopper with 16-bit operands. The epilogue adds bias or residual, or applies
// GELU. One .cu file for each type includes this header.
#include "ops/hopper/product.cuh"

namespace virnucpro::cuda {

constexpr bool adds(Epilogue epilogue) {
  return epilogue == Epilogue::kBiasAdd || epilogue == Epilogue::kBiasAdd16;
}

// The epilogue as CUTLASS's tree of operations on the accumulator acc. kEpilogue selects acc +
// bias, GELU(acc + bias), residual + acc + bias, or gate · GELU(acc).
template <Epilogue kEpilogue, class Element, class Tile>
struct EpilogueTree {
  using Out = std::conditional_t<kEpilogue == Epilogue::kBiasAdd, float, Element>;
  using Source = std::conditional_t<adds(kEpilogue) || kEpilogue == Epilogue::kGeluGate, Out, void>;
  using Bias = fusion::Sm90RowBroadcast<0, Tile, float>;
  template <class Result>
  using Biased = fusion::Sm90EVT<fusion::Sm90Compute<cutlass::plus, Result, float, kNearest>,
                                 fusion::Sm90AccFetch, Bias>;

  template <Epilogue kKind, class = void>
  struct Choose {
    using Tree = Biased<Out>;
    static typename Tree::Arguments arguments(const float* bias) { return {{}, {bias}, {}}; }
  };
  template <class Unused>
  struct Choose<Epilogue::kBiasGelu, Unused> {
    using Tree = fusion::Sm90EVT<fusion::Sm90Compute<Gelu, Out, float, kNearest>, Biased<float>>;
    static typename Tree::Arguments arguments(const float* bias) { return {{{}, {bias}, {}}, {}}; }
  };
  template <Epilogue kKind>
  struct Choose<kKind, std::enable_if_t<adds(kKind)>> {
    using Tree = fusion::Sm90EVT<fusion::Sm90Compute<cutlass::plus, Out, float, kNearest>,
                                 fusion::Sm90SrcFetch<Source>, Biased<float>>;
    static typename Tree::Arguments arguments(const float* bias) {
      return {{}, {{}, {bias}, {}}, {}};
    }
  };
  template <class Unused>
  struct Choose<Epilogue::kGeluGate, Unused> {
    using Tree = fusion::Sm90EVT<
        fusion::Sm90Compute<cutlass::multiplies, Out, float, kNearest>,
        fusion::Sm90SrcFetch<Source>,
        fusion::Sm90EVT<fusion::Sm90Compute<Gelu, float, float, kNearest>, fusion::Sm90AccFetch>>;
    static typename Tree::Arguments arguments(const float* /*bias*/) { return {{}, {{}, {}}, {}}; }
  };
  using Tree = typename Choose<kEpilogue>::Tree;
  static typename Tree::Arguments arguments(const GemmCall& call) {
    return Choose<kEpilogue>::arguments(call.bias);
  }
};

template <class Element, Epilogue kEpilogue, class Choice>
using Sm90Gemm =
    Sm90Product<Element, float, TileOf<Choice, sizeof(Element)>,
                EpilogueTree<kEpilogue, Element, TileOf<Choice, sizeof(Element)>>, Choice>;

// The fastest tiles in measurements, for each type of layer. The tile depends only on the layer and
// changes no bits.
using Wide = TileChoice<128, 192, true>;
using Square = TileChoice<128, 128, true>;
using Deep = TileChoice<128, 256, false, 16>;

// Computes a layer that adds to the residual stream, which is fp32 or Element. A layer with more
// inputs than outputs (fc2) uses the tile Deep.
template <class Element, Epilogue kEpilogue>
void add_sm90(const GemmCall& call, cudaStream_t stream) {
  if (call.inputs > call.outputs) return Sm90Gemm<Element, kEpilogue, Deep>::run(call, stream);
  return Sm90Gemm<Element, kEpilogue, Square>::run(call, stream);
}

template <class Element>
void gemm_sm90(const GemmCall& call, Epilogue epilogue, cudaStream_t stream) {
  switch (epilogue) {
    case Epilogue::kNone:
    case Epilogue::kBias:
      return Sm90Gemm<Element, Epilogue::kBias, Wide>::run(call, stream);
    case Epilogue::kBiasGelu:
      return Sm90Gemm<Element, Epilogue::kBiasGelu, Wide>::run(call, stream);
    case Epilogue::kBiasAdd:
      return add_sm90<Element, Epilogue::kBiasAdd>(call, stream);
    case Epilogue::kBiasAdd16:
      return add_sm90<Element, Epilogue::kBiasAdd16>(call, stream);
    case Epilogue::kGeluGate:
      return Sm90Gemm<Element, Epilogue::kGeluGate, Square>::run(call, stream);
  }
}

}  // namespace virnucpro::cuda
