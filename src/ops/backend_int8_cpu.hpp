#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "ops/backend_cpu.hpp"
#include "ops/int8_linear.hpp"
#include "ops/int8_policy.hpp"
#include "ops/quantise.hpp"

namespace virnucpro {

struct Int8CpuContext : OpContext {
  Int8Policy policy{};  // says which linears use 8 bits
  bool any_policy = false;
  // If true, an 8-bit linear's run() first corrects its bias, using the inputs of that run().
  bool calibrating = false;
};

// The inputs of a projection, with memory for their 8-bit codes.
struct Int8CpuOperand {
  Panels values;
  Codes codes;
};

// A linear that computes in 8 bits or, if the policy keeps it out of 8 bits, in fp32. It stores the
// weights in that precision only; with Int8CpuContext::any_policy, in both.
class Int8CpuProjection {
 public:
  Int8CpuProjection(Int8CpuContext& context, const Weights& weights, const Esm2Place& place,
                    std::span<const LinearPart> parts, std::size_t inputs, Epilogue epilogue);

  void run(Int8CpuContext& context, Int8CpuOperand& in, Panels& out) const;
  void run(Int8CpuContext& context, Int8CpuOperand& in, Int8CpuOperand& out) const {
    run(context, in, out.values);
  }

 private:
  Esm2Place place_;
  // Mutable, because run() corrects the bias during calibration.
  mutable std::optional<Int8Linear> coarse_;
  std::optional<Linear> wide_;
};

// Computes x / √(mean(x²) + eps) for each row x. The norm's gain, bias and centring are part of the
// neighbouring weights (weights/folded_esm2.hpp).
struct RmsNorm {
  float eps = 0;

  // `in` and `out` have the same shape and may be the same.
  void run(OpContext& context, const Panels& in, Panels& out) const;
};

// The last norm and FoldedEsm2's head. The head is linear, so it is applied to the means of the
// sequences: one row per sequence instead of one row per token.
struct HeadNorm {
  RmsNorm norm;
  Linear head;

  void run(OpContext& context, Panels& in, std::span<const RowRange> ranges,
           std::span<float> out) const;
};

// ESM-2's ops in 8 bits, for FoldedEsm2's weights. Works like cuda::Int8Backend
// (ops/backend_int8_cuda.hpp), but with fp32 in place of fp16, so rounding to 8 bits is the only
// source of error. Tests can use this backend without a GPU.
struct Int8CpuBackend : CpuBackend {
  using Context = Int8CpuContext;
  using Operand = Int8CpuOperand;
  using Linear = Int8CpuProjection;
  using LayerNorm = RmsNorm;
  using LastNorm = HeadNorm;

  static Operand operand(Context&, std::size_t rows, std::size_t width) {
    return {.values = {rows, width}, .codes = {Purpose::kActivations, rows, width}};
  }
  static Matrix product(Context&, std::size_t rows, std::size_t width) { return {rows, width}; }

  static LayerNorm layer_norm(Context&, const Weights&, const std::string& /*name*/,
                              std::size_t /*width*/, float eps) {
    return {eps};
  }
  static LastNorm last_norm(Context& context, const Weights& weights, const std::string& name,
                            std::size_t width, float eps);
  static Linear projection(Context& context, const Weights& weights, const Esm2Place& place,
                           std::span<const LinearPart> parts, std::size_t inputs,
                           Epilogue epilogue) {
    return {context, weights, place, parts, inputs, epilogue};
  }

  static void normalise_for(Context& context, const LayerNorm& norm, const Matrix& in,
                            const Linear& /*projection*/, Operand& out) {
    norm.run(context, in, out.values);
  }
  template <typename Token>
  static void rotary_attention(Context& context, std::size_t heads, const Rotary& rotary,
                               const Batch<Token>& batch, const Matrix& qkv, Operand& out) {
    CpuBackend::rotary_attention(context, heads, rotary, batch, qkv, out.values);
  }
  template <typename Token>
  static void pool_normalised(Context& context, const LastNorm& norm, Matrix& in,
                              const Batch<Token>& batch, const PooledRows& rows,
                              Matrix& /*scratch*/, Pooled out) {
    norm.run(context, in, pooled_rows(batch.offsets, rows), out);
  }
};

}  // namespace virnucpro
