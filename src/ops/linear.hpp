#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The last step on x·Wᵀ before it is stored.
enum class Epilogue : std::uint8_t {
  kNone,       // out = x·Wᵀ
  kBias,       // out = x·Wᵀ + b
  kBiasGelu,   // out = GELU(x·Wᵀ + b), erf form, absolute error below 1e-6
  kBiasAdd,    // out = out + x·Wᵀ + b, the residual stream
  kBiasAdd16,  // like kBiasAdd, for a stream in the type of x; Hopper only
  kGeluGate,  // out = out·GELU(x·Wᵀ), the gated linear unit (Shazeer 2020, arXiv:2002.05202); GPUs
};

// A part of a layer's outputs: one pair of tensors in the file.
struct LinearPart {
  std::string weight;  // [outputs, inputs]
  std::string bias;    // [outputs]; not read with Epilogue::kNone
  std::size_t outputs;
};

// Returns the number of outputs of all parts.
std::size_t outputs_of(std::span<const LinearPart> parts);

// A dense layer, out = epilogue(x·Wᵀ), accumulated in fp32. Weights are read one tensor at a time
// and stored once in the products' layout; for Precision::kBf16, weights and inputs are rounded to
// bf16. A row's bits depend only on that row and the weights: each product runs in one thread, on a
// whole panel and all inputs, and the width of its block of outputs depends only on the layer.
class Linear {
 public:
  // Makes one layer of several parts, whose outputs lie side by side.
  Linear(OpContext& context, const Weights& weights, std::span<const LinearPart> parts,
         std::size_t inputs, Precision precision, Epilogue epilogue);
  ~Linear();
  Linear(Linear&&) noexcept;

  std::size_t outputs() const;

  // in: [rows, inputs], out: [rows, outputs], different matrices.
  void run(OpContext& context, const Panels& in, Panels& out) const;

 private:
  struct Blocks;
  std::unique_ptr<const Blocks> blocks_;
};

}  // namespace virnucpro
