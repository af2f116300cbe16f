#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/backend_cpu.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// DNABERT-S (Zhou et al. 2024, arXiv:2402.08777): a MosaicBERT encoder (ALiBi, gated GELU).
template <class Backend>
class DnabertSModel {
 public:
  using Context = typename Backend::Context;
  using Matrix = typename Backend::Matrix;

  DnabertSModel(const DnabertWeights& weights, Context& context);
  ~DnabertSModel();
  DnabertSModel(DnabertSModel&&) noexcept;

  std::uint32_t width() const;
  std::uint32_t vocabulary() const;

  // The matrices for a batch of this many tokens.
  struct Activations {
    typename Backend::Stream x;
    Matrix query_key_value;
    Matrix attended;
    Matrix both_halves;
    Matrix hidden;
  };
  static Activations activations(Context& context, const DnabertShape& shape, std::size_t tokens);

  // Works like Esm2Model::embed(), but each mean is over all tokens, including [CLS] and [SEP].
  void embed(Context& context, const typename Backend::template Batch<std::uint16_t>& batch,
             typename Backend::Pooled out) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

using DnabertS = DnabertSModel<CpuBackend>;

}  // namespace virnucpro
