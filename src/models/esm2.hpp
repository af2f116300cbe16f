#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/backend_cpu.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// Throws kWeightsFormat if no ESM-2 can have these sizes.
void check_esm2_shape(const Esm2Weights& weights);

// ESM-2 (Lin et al. 2023, Science 379:1123), a protein language model; only its last layer's
// representation is computed. Weights are copied once, in the layout of the backend's products.
template <class Backend>
class Esm2Model {
 public:
  using Context = typename Backend::Context;
  using Matrix = typename Backend::Matrix;
  using Operand = typename Backend::Operand;

  Esm2Model(const Esm2Weights& weights, Context& context);
  ~Esm2Model();
  Esm2Model(Esm2Model&&) noexcept;

  std::uint32_t width() const;

  // The matrices in which a batch of this many tokens is computed.
  struct Activations {
    Matrix x;  // the residual stream
    Operand normed;
    Matrix query_key_value;
    Operand attended;
    Operand hidden;
  };
  static Activations activations(Context& context, const Esm2Shape& shape, std::size_t tokens);

  // batch: sequences of <cls> residues <eos>. out: [sequences, width], the mean over residues 1 …
  // min(length, 1024) of the last layer after emb_layer_norm_after. A sequence's bits do not depend
  // on other sequences. Throws between layers when the context's Cancel is set.
  void embed(Context& context, const typename Backend::template Batch<std::uint8_t>& batch,
             typename Backend::Pooled out) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

using Esm2 = Esm2Model<CpuBackend>;

}  // namespace virnucpro
