#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "ops/context.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// ESM-2 (Lin et al. 2023, Science 379:1123): protein language model, here for its last layer's
// representation only. Weights are copied once, into the layout the matrix products want.
class Esm2 {
 public:
  Esm2(const Esm2Weights& weights, OpContext& context);
  ~Esm2();
  Esm2(Esm2&&) noexcept;

  std::uint32_t width() const;

  // tokens: sequences back to back, each <cls> residues <eos>; sequence i is
  // [offsets[i], offsets[i + 1]). out: [sequences, width], the mean over residues
  // 1 … min(length, 1024) of the last layer after emb_layer_norm_after. No sequence sees another,
  // and its bits do not depend on them. Throws between layers when the context's Cancel is set.
  void embed(OpContext& context, std::span<const std::uint8_t> tokens,
             std::span<const std::uint32_t> offsets, std::span<float> out) const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

}  // namespace virnucpro
