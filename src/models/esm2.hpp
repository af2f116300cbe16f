#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/backend_cpu.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// Throws kWeightsFormat if no ESM-2 model can have these sizes.
void check_esm2_shape(const Esm2Weights& weights);

// ESM-2 (Lin et al. 2023, Science 379:1123), a protein language model. Computes only the last
// layer's representation. Stores the weights once, in the layout for the backend's matrix products.
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

  // The matrices for a batch of this many tokens.
  struct Activations {
    Matrix x;  // the residual stream
    Operand normed;
    Matrix query_key_value;
    Operand attended;
    Operand hidden;
  };
  static Activations activations(Context& context, const Esm2Shape& shape, std::size_t tokens);

  // Writes one row per sequence to `out`, [sequences, width]: the mean of the last layer's
  // normalised output over the first 1,024 residues. A sequence in `batch` is <cls>, residues,
  // <eos>. A sequence's bits do not depend on other sequences. If the run is cancelled, throws
  // between two layers.
  void embed(Context& context, const typename Backend::template Batch<std::uint8_t>& batch,
             typename Backend::Pooled out) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

using Esm2 = Esm2Model<CpuBackend>;

}  // namespace virnucpro
