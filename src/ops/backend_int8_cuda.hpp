#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ops/backend_cuda.hpp"
#include "ops/quantise_cuda.hpp"

namespace virnucpro::cuda {

// The inputs of a projection, in the form that the previous op wrote, with memory for codes.
struct Int8Operand {
  enum class Form : std::uint8_t {
    kHalves,
    kCodes,  // `codes` is valid; during calibration, `halves` is too
  };

  DeviceMatrix halves;  // fp16
  CodeMatrix codes;
  Form form = Form::kHalves;
};

// A linear with s8 weights and s8 inputs. Sums are exact. ops/gemm_cuda.hpp describes the
// scales, the bias, GELU and the addition to the residual stream.
class EightBitLinear {
 public:
  EightBitLinear(Context& context, const Weights& weights, std::span<const LinearPart> parts,
                 std::size_t inputs, Blocks blocks, Epilogue epilogue);

  // Quantises the inputs if needed. If context.calibration is set, corrects the bias first.
  void run(Context& context, Int8Operand& in, const DeviceMatrix& out) const;

 private:
  CodeMatrix weight() const;
  void correct(Context& context, const Int8Operand& in) const;

  std::size_t inputs_;
  std::size_t outputs_;
  Blocks blocks_;
  Epilogue epilogue_;
  DeviceBuffer bias_;
  DeviceBuffer codes_;
  DeviceBuffer scales_;
};

// A linear that computes in 8 bits or, if the context's policy keeps it out of 8 bits, in 16 bits.
// It stores the weights in that precision only; with Context::any_int8_policy, in both.
class Int8Linear {
 public:
  Int8Linear(Context& context, const Weights& weights, const Esm2Place& place,
             std::span<const LinearPart> parts, std::size_t inputs, Epilogue epilogue);

  bool in_8_bits(const Context& context) const {
    return eight_ && (!sixteen_ || context.int8_policy.in_8_bits(place_));
  }
  void run(Context& context, Int8Operand& in, const DeviceMatrix& out) const;
  void run(Context& context, Int8Operand& in, Int8Operand& out) const;

 private:
  Esm2Place place_;
  std::optional<EightBitLinear> eight_;
  std::optional<Linear> sixteen_;
};

// A norm whose gain, bias and centring are in the neighbouring weights (weights/folded_esm2.hpp).
struct RmsNorm {
  float eps = 0;
};

// The last norm and FoldedEsm2's head, applied to means (explained in ops/backend_int8_cpu.hpp).
class HeadNorm {
 public:
  HeadNorm(Context& context, const Weights& weights, std::size_t width, float eps);

  void run(Context& context, const DeviceMatrix& in, const std::uint32_t* offsets,
           const PooledRows& rows, const DeviceMatrix& scratch, const DevicePooled& out) const;

 private:
  float eps_;
  DeviceBuffer weight_;  // fp32 [width, width]
  DeviceBuffer bias_;
};

// ESM-2's ops in 8 bits, for FoldedEsm2's weights. The residual stream, queries, keys, values and
// attention's outputs are fp16.
struct Int8Backend : Backend {
  using Operand = Int8Operand;
  using Linear = Int8Linear;
  using LayerNorm = RmsNorm;
  using LastNorm = HeadNorm;

  static Matrix residual(Context& context, std::size_t rows, std::size_t width) {
    return context.arena.matrix(rows, width, Element::kFp16);
  }
  static Matrix product(Context& context, std::size_t rows, std::size_t width) {
    return Backend::operand(context, rows, width);
  }
  static Operand operand(Context& context, std::size_t rows, std::size_t width);

  static LayerNorm layer_norm(Context&, const Weights&, const std::string& /*name*/,
                              std::size_t /*width*/, float eps) {
    return {eps};
  }
  static LastNorm last_norm(Context& context, const Weights& weights, const std::string& /*name*/,
                            std::size_t width, float eps) {
    return {context, weights, width, eps};
  }
  static Linear projection(Context& context, const Weights& weights, const Esm2Place& place,
                           std::span<const LinearPart> parts, std::size_t inputs,
                           Epilogue epilogue) {
    return {context, weights, place, parts, inputs, epilogue};
  }

  static void normalise_for(Context& context, const LayerNorm& norm, const Matrix& in,
                            const Linear& projection, Operand& out);
  template <typename Token>
  static void rotary_attention(Context& context, std::size_t heads, const Rotary& rotary,
                               const Batch<Token>& batch, const Matrix& qkv, Operand& out) {
    Backend::rotary_attention(context, heads, rotary, batch, qkv, out.halves);
    out.form = Operand::Form::kHalves;
  }
  template <typename Token>
  static void pool_normalised(Context& context, const LastNorm& norm, const Matrix& in,
                              const Batch<Token>& batch, const PooledRows& rows,
                              const Matrix& scratch, const Pooled& out) {
    norm.run(context, in, batch.device_offsets, rows, scratch, out);
  }
};

}  // namespace virnucpro::cuda
