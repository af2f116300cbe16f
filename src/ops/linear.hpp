#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ops/context.hpp"
#include "ops/panels.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// What happens to x·Wᵀ before it is stored.
enum class Epilogue : std::uint8_t {
  kNone,      // out = x·Wᵀ
  kBias,      // out = x·Wᵀ + b
  kBiasGelu,  // out = GELU(x·Wᵀ + b), erf form, absolute error below 1e-6
  kBiasAdd,   // out = out + x·Wᵀ + b, the residual stream
  kGeluGate,  // out = out·GELU(x·Wᵀ), the gated linear unit (Shazeer 2020, arXiv:2002.05202); GPUs
};

// Some of a layer's outputs, as one tensor pair of the file holds them.
struct LinearPart {
  std::string weight;  // [outputs, inputs]
  std::string bias;    // [outputs]; not read with Epilogue::kNone
  std::size_t outputs;
};

// A dense layer, out = epilogue(x·Wᵀ), products accumulated in fp32. Weights are read one tensor at
// a time and laid out once as the products want them (in bf16 for Precision::kBf16, inputs are then
// rounded to bf16 too). A row's bits depend on that row and the weights only: products run on whole
// panels, on blocks of outputs whose width depends on the layer alone, never on a part of the
// inputs, and each on one thread.
class Linear {
 public:
  // The outputs of several parts lie side by side.
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
