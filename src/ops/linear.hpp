#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The last step of a product x·Wᵀ, before the result is stored.
enum class Epilogue : std::uint8_t {
  kNone,       // out = x·Wᵀ
  kBias,       // out = x·Wᵀ + b
  kBiasGelu,   // out = GELU(x·Wᵀ + b), erf form, absolute error below 1e-6
  kBiasAdd,    // out = out + x·Wᵀ + b, where `out` is the residual stream
  kBiasAdd16,  // like kBiasAdd, but `out` has the element type of x; GPUs only
  kGeluGate,   // out = out·GELU(x·Wᵀ), for a gated linear unit (arXiv:2002.05202); GPUs only
};

// A group of a layer's outputs, with the names of its two tensors in Weights.
struct LinearPart {
  std::string weight;  // [outputs, inputs]
  std::string bias;    // [outputs]; not read with Epilogue::kNone
  std::size_t outputs;
};

std::size_t outputs_of(std::span<const LinearPart> parts);

// A dense layer: out = epilogue(x·Wᵀ), summed in fp32. Weights are read one tensor at a time and
// stored in oneDNN's layout; for Precision::kBf16, weights and inputs are rounded to bf16. A row's
// bits depend only on the row and the weights: one thread sums over all inputs, for a whole panel
// and a block of outputs, and the block's width depends only on the layer.
class Linear {
 public:
  // Makes one layer from several parts. Their outputs are side by side in a row of `out`.
  Linear(OpContext& context, const Weights& weights, std::span<const LinearPart> parts,
         std::size_t inputs, Precision precision, Epilogue epilogue);
  ~Linear();
  Linear(Linear&&) noexcept;

  std::size_t outputs() const;

  // `in` is [rows, inputs], `out` [rows, outputs]; they must be different matrices.
  void run(OpContext& context, const Panels& in, Panels& out) const;

 private:
  struct Blocks;
  std::unique_ptr<const Blocks> blocks_;
};

}  // namespace virnucpro
