#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/attention_cuda.hpp"
#include "ops/batch_norm.hpp"
#include "ops/context_cuda.hpp"
#include "ops/int8_policy.hpp"
#include "ops/linear.hpp"
#include "ops/row_ops_cuda.hpp"
#include "ops/token_batch.hpp"
#include "tensor/device_memory.hpp"
#include "tensor/matrix.hpp"
#include "weights/weights.hpp"

namespace virnucpro::cuda {

// A dense layer (see ops/linear.hpp) on the device. One matrix holds the weights of all parts, so
// that one product computes all parts.
class Linear {
 public:
  Linear(Context& context, const Weights& weights, std::span<const LinearPart> parts,
         std::size_t inputs, Precision precision, Epilogue epilogue);

  // `in` is [rows, inputs] of the precision's element type. `out` is [rows, outputs] of the same
  // type; with Epilogue::kBiasAdd `out` is fp32 and the result is added to its old values.
  void run(Context& context, const DeviceMatrix& in, const DeviceMatrix& out) const;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  Precision precision_;
  Epilogue epilogue_;
  DeviceBuffer bias_;                    // zeros with Epilogue::kNone
  DeviceBuffer weight_;                  // empty if `streamed_` is set
  std::optional<std::size_t> streamed_;  // the weight's number in Context::streamed
};

// CpuBackend::GatedLinear on the device. Computes the gate first, then gate · GELU(value).
class GatedLinear {
 public:
  GatedLinear(Context& context, const Weights& weights, const LinearPart& part, std::size_t inputs,
              Precision precision);

  void run(Context& context, const DeviceMatrix& in, const DeviceMatrix& scratch,
           const DeviceMatrix& out) const;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  DeviceBuffer weight_;  // [2·outputs, inputs]
  DeviceBuffer no_bias_;
};

// Layer norm (see ops/layer_norm.hpp) on the device, with fp32 input.
class LayerNorm {
 public:
  LayerNorm(Context& context, const Weights& weights, const std::string& name, std::size_t width,
            float eps);

  void run(Context& context, const DeviceMatrix& in, const DeviceMatrix& out) const {
    run(context, in, out, DeviceMatrix{});
  }
  // Unless `also` is empty, writes the same numbers to `also` too, in the element type of `also`.
  void run(Context& context, const DeviceMatrix& in, const DeviceMatrix& out,
           const DeviceMatrix& also) const;

 private:
  float eps_;
  DeviceBuffer weight_;
  DeviceBuffer bias_;
};

// The embedding of ops/embedding.hpp on the device, with fp32 output.
class Embedding {
 public:
  // Adds the vector `added` to every row of the scaled table, unless `added` is empty.
  Embedding(Context& context, const Weights& weights, const std::string& name, std::size_t rows,
            std::size_t width, float scale, std::span<const float> added);

  template <typename Token>
  void run(Context& context, const Token* tokens, const DeviceMatrix& out) const {
    embed_rows(static_cast<const float*>(table_.data()), tokens, out, context.stream);
  }

 private:
  DeviceBuffer table_;
};

// Batch norm and ReLU (see ops/batch_norm.hpp) on the device, in fp32.
class BatchNormRelu {
 public:
  explicit BatchNormRelu(const virnucpro::BatchNormRelu& norm);

  void run(Context& context, const DeviceMatrix& values) const;

 private:
  DeviceBuffer mean_;
  DeviceBuffer scale_;
  DeviceBuffer bias_;
};

// The class head of ops/class_head.hpp on the device, for two classes only.
class ClassHead {
 public:
  ClassHead(Context& context, const Weights& weights, const std::string& name, std::size_t inputs,
            std::size_t classes);

  void run(Context& context, const DeviceMatrix& in, std::span<float> device_out) const;

 private:
  DeviceBuffer weight_;
  DeviceBuffer bias_;
};

// A batch on the host, where its values are checked, and its copy on the device.
template <typename Token>
struct DeviceBatch : TokenBatch<Token> {
  const Token* device_tokens = nullptr;
  const std::uint32_t* device_offsets = nullptr;
  const AttentionItem* items = nullptr;  // [item_count], on the device
  std::size_t item_count = 0;
};

// The output of mean pooling: mean i goes to row i of an fp32 matrix, starting at `column`.
struct DevicePooled {
  DeviceMatrix rows;
  std::size_t column = 0;
  std::size_t width = 0;

  std::size_t size() const { return rows.rows * width; }
};

// The GPU's ops, as the models' graphs call them. CpuBackend (ops/backend_cpu.hpp) describes each.
struct Backend {
  using Context = cuda::Context;
  using Matrix = DeviceMatrix;
  using Operand = DeviceMatrix;
  using Linear = cuda::Linear;
  using GatedLinear = cuda::GatedLinear;
  using LayerNorm = cuda::LayerNorm;
  using LastNorm = LayerNorm;
  using Embedding = cuda::Embedding;
  using Rotary = const RotaryAngles*;
  using Slopes = DeviceBuffer;
  template <typename Token>
  using Batch = DeviceBatch<Token>;
  using Pooled = DevicePooled;
  using BatchNormRelu = cuda::BatchNormRelu;
  using ClassHead = cuda::ClassHead;
  using Scores = std::span<float>;  // on the device

  static std::size_t rows(const Matrix& matrix) { return matrix.rows; }
  static std::size_t width(const Matrix& matrix) { return matrix.width; }

  static Matrix residual(Context& context, std::size_t rows, std::size_t width) {
    return context.arena.matrix(rows, width, Element::kFp32);
  }
  static Matrix operand(Context& context, std::size_t rows, std::size_t width) {
    return context.arena.matrix(rows, width, context.element());
  }
  static Matrix product(Context& context, std::size_t rows, std::size_t width) {
    return operand(context, rows, width);
  }
  static Matrix gated_scratch(Context&, std::size_t /*rows*/, std::size_t /*outputs*/) {
    return {};
  }
  // A residual stream and, in 16-bit precisions, a 16-bit copy that projections read.
  struct Stream {
    Matrix values;
    Matrix copy;  // empty in fp32

    const Matrix& operand() const { return copy.rows == 0 ? values : copy; }
  };
  static Stream stream(Context& context, std::size_t rows, std::size_t width) {
    Stream made{.values = residual(context, rows, width), .copy = {}};
    if (context.element() != Element::kFp32) made.copy = operand(context, rows, width);
    return made;
  }

  static LayerNorm layer_norm(Context& context, const Weights& weights, const std::string& name,
                              std::size_t width, float eps) {
    return {context, weights, name, width, eps};
  }
  static LastNorm last_norm(Context& context, const Weights& weights, const std::string& name,
                            std::size_t width, float eps) {
    return layer_norm(context, weights, name, width, eps);
  }
  static Linear projection(Context& context, const Weights& weights, const Esm2Place& /*place*/,
                           std::span<const LinearPart> parts, std::size_t inputs,
                           Epilogue epilogue) {
    return {context, weights, parts, inputs, context.precision, epilogue};
  }
  static Embedding embedding(Context& context, const Weights& weights, const std::string& name,
                             std::size_t rows, std::size_t width, float scale,
                             std::span<const float> added = {}) {
    return {context, weights, name, rows, width, scale, added};
  }
  static BatchNormRelu batch_norm_relu(Context&, const Weights& weights, const std::string& name,
                                       std::size_t width, float eps) {
    return BatchNormRelu(virnucpro::BatchNormRelu(weights, name, width, eps));
  }
  static void check_head_width(const Weights& weights, std::size_t width);
  static Rotary rotary(Context& context, const std::vector<float>& inv_freq);
  static Slopes slopes(Context& context, const std::vector<float>& slopes);

  static void normalise(Context& context, const LayerNorm& norm, const Stream& stream) {
    norm.run(context, stream.values, stream.values, stream.copy);
  }
  static void normalise_for(Context& context, const LayerNorm& norm, const Matrix& in,
                            const Linear& /*projection*/, const Operand& out) {
    norm.run(context, in, out);
  }
  static void normalise_relu(Context& context, const BatchNormRelu& norm, const Matrix& values) {
    norm.run(context, values);
  }
  template <typename Token>
  static void embed(Context& context, const Embedding& embedding, const Batch<Token>& batch,
                    const Matrix& out) {
    embedding.run(context, batch.device_tokens, out);
  }
  template <typename Token>
  static void rotary_attention(Context& context, std::size_t heads, const Rotary& rotary,
                               const Batch<Token>& batch, const Matrix& qkv, const Matrix& out) {
    AttentionCall call = attention_call(heads, batch, qkv, out);
    call.cosines = static_cast<const float*>(rotary->cosines.data());
    call.sines = static_cast<const float*>(rotary->sines.data());
    context.attention(call, context.stream);
  }
  template <typename Token>
  static void alibi_attention(Context& context, const Slopes& slopes, const Batch<Token>& batch,
                              const Matrix& qkv, const Matrix& out) {
    AttentionCall call = attention_call(slopes.bytes() / sizeof(float), batch, qkv, out);
    call.slopes = static_cast<const float*>(slopes.data());
    context.attention(call, context.stream);
  }
  template <typename Token>
  static void mean_pool(Context& context, const Matrix& in, const Batch<Token>& batch,
                        const PooledRows& rows, const Pooled& out) {
    mean_rows(in, batch.device_offsets, rows, out.rows, out.column, context.stream);
  }
  template <typename Token>
  static void pool_normalised(Context& context, const LastNorm& norm, const Matrix& in,
                              const Batch<Token>& batch, const PooledRows& rows,
                              const Matrix& /*scratch*/, const Pooled& out) {
    norm.run(context, in, in);
    mean_pool(context, in, batch, rows, out);
  }

 private:
  template <typename Token>
  static AttentionCall attention_call(std::size_t heads, const Batch<Token>& batch,
                                      const Matrix& qkv, const Matrix& out) {
    return {.qkv = qkv,
            .out = out,
            .items = batch.items,
            .item_count = batch.item_count,
            .longest = static_cast<std::uint32_t>(longest_sequence(batch.offsets)),
            .heads = static_cast<std::uint32_t>(heads),
            .head_width = static_cast<std::uint32_t>(out.width / heads)};
  }
};

}  // namespace virnucpro::cuda
