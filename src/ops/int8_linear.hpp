#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/context.hpp"
#include "ops/int8_product.hpp"
#include "ops/linear.hpp"
#include "ops/panels.hpp"
#include "ops/quantise.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// The most inputs of an 8-bit linear, so that sums of code · code fit 32 bits: 2^31 / 127^2,
// rounded down to a power of two.
inline constexpr std::size_t kMostInt8Inputs = 131072;

// Means of each column of a linear's inputs, over many rows. `exact` has the means of the inputs,
// `coded` the means of code · scale.
struct ColumnMeans {
  std::span<const float> exact;
  std::span<const float> coded;
};

// A linear layer of 8-bit numbers with one scale per output, for tests and machines without a GPU.
// It computes the same integers as a GPU: sum = Σ code · code, exact in 32 bits. Then in fp32:
// value = sum · the row's scale · the output's scale + bias, then the epilogue.
class Int8Linear {
 public:
  // Accepts the epilogues kBias, kBiasGelu and kBiasAdd. With Blocks::kRotated, run() expects codes
  // of rotated inputs. Errors: kInternal for other epilogues or more than kMostInt8Inputs inputs.
  Int8Linear(OpContext& context, const Weights& weights, std::span<const LinearPart> parts,
             std::size_t inputs, Epilogue epilogue, Blocks blocks);

  std::size_t outputs() const { return weight_.outputs(); }
  Blocks blocks() const { return blocks_; }

  // Adds the mean quantisation error to the bias: W16·exact − W8·coded. W8 is the weights in 8
  // bits. W16 also has their second 8 bits (quantise_rest()).
  void correct_bias(const ColumnMeans& means);

  // `in` is [rows, inputs]; `out` is [rows, outputs].
  void run(OpContext& context, const Codes& in, Panels& out) const;

 private:
  Epilogue epilogue_;
  Blocks blocks_;
  Int8Weights weight_;
  HostArray<float> scales_;      // of the outputs
  HostArray<std::int8_t> rest_;  // the second 8 bits of weight_ (quantise_rest)
  HostArray<float> bias_;
};

}  // namespace virnucpro
