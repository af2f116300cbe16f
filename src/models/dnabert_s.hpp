#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ops/context.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// DNABERT-S (Zhou et al. 2024, arXiv:2402.08777): a MosaicBERT encoder (ALiBi, gated GELU).
class DnabertS {
 public:
  DnabertS(const DnabertWeights& weights, OpContext& context);
  ~DnabertS();
  DnabertS(DnabertS&&) noexcept;

  std::uint32_t width() const;
  std::uint32_t vocabulary() const;

  // As Esm2::embed, but the mean is over all tokens, [CLS] and [SEP] included.
  void embed(OpContext& context, std::span<const std::uint16_t> tokens,
             std::span<const std::uint32_t> offsets, std::span<float> out) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

}  // namespace virnucpro
