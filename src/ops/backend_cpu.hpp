#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/attention.hpp"
#include "ops/batch_norm.hpp"
#include "ops/class_head.hpp"
#include "ops/context.hpp"
#include "ops/embedding.hpp"
#include "ops/gated_gelu.hpp"
#include "ops/int8_policy.hpp"
#include "ops/layer_norm.hpp"
#include "ops/linear.hpp"
#include "ops/mean_pool.hpp"
#include "ops/panels.hpp"
#include "ops/token_batch.hpp"

namespace virnucpro {

// The CPU's ops, as the models' graphs call them. A graph is a template over a backend, so that one
// graph serves every device without virtual calls or branches in its layers. The backend for GPUs
// is cuda::Backend (ops/backend_cuda.hpp).
struct CpuBackend {
  using Context = OpContext;
  using Matrix = Panels;
  using Operand = Panels;  // the type of a projection's input
  using Linear = virnucpro::Linear;
  using LayerNorm = virnucpro::LayerNorm;
  using LastNorm = LayerNorm;
  using Embedding = virnucpro::Embedding;
  using Rotary = std::vector<float>;  // inv_freq
  using Slopes = std::vector<float>;
  template <typename Token>
  using Batch = TokenBatch<Token>;
  using Pooled = std::span<float>;  // [sequences, width]
  using BatchNormRelu = virnucpro::BatchNormRelu;
  using ClassHead = virnucpro::ClassHead;
  using Scores = std::span<float>;  // [frames, classes]

  static std::size_t rows(const Matrix& matrix) { return matrix.rows(); }
  static std::size_t width(const Matrix& matrix) { return matrix.width(); }

  // Makes a residual stream, [rows, width]: fp32, but fp16 in cuda::Int8Backend.
  static Matrix residual(Context&, std::size_t rows, std::size_t width) { return {rows, width}; }
  // Makes an input or output of projections: fp32 on the CPU, on a GPU in the context's precision.
  static Matrix operand(Context&, std::size_t rows, std::size_t width) { return {rows, width}; }
  // Makes the output of a projection, if only attention reads this output.
  static Matrix product(Context& context, std::size_t rows, std::size_t width) {
    return operand(context, rows, width);
  }
  // A residual stream that projections can read too.
  struct Stream {
    Matrix values;

    Matrix& operand() { return values; }
  };
  static Stream stream(Context&, std::size_t rows, std::size_t width) { return {{rows, width}}; }

  // This function and the next ones make ops whose constructor arguments differ between backends.
  static LayerNorm layer_norm(Context&, const Weights& weights, const std::string& name,
                              std::size_t width, float eps) {
    return {weights, name, width, eps};
  }
  // Makes the last layer norm, for pool_normalised().
  static LastNorm last_norm(Context& context, const Weights& weights, const std::string& name,
                            std::size_t width, float eps) {
    return layer_norm(context, weights, name, width, eps);
  }
  // Makes one of a layer's four projections. `place` says which one; only int8 backends use it.
  static Linear projection(Context& context, const Weights& weights, const Esm2Place& /*place*/,
                           std::span<const LinearPart> parts, std::size_t inputs,
                           Epilogue epilogue) {
    return {context, weights, parts, inputs, context.precision, epilogue};
  }
  // Makes an embedding. Adds the vector `added` to every row of its table, unless `added` is empty.
  static Embedding embedding(Context&, const Weights& weights, const std::string& name,
                             std::size_t rows, std::size_t width, float scale,
                             std::span<const float> added = {}) {
    Embedding embedding(weights, name, rows, width, scale);
    if (!added.empty()) embedding.add_to_rows(added);
    return embedding;
  }
  static BatchNormRelu batch_norm_relu(Context&, const Weights& weights, const std::string& name,
                                       std::size_t width, float eps) {
    return {weights, name, width, eps};
  }
  // Throws kWeightsFormat if the device's attention does not support heads of this width.
  static void check_head_width(const Weights&, std::size_t /*width*/) {}
  static Rotary rotary(Context&, std::vector<float> inv_freq) { return inv_freq; }
  static Slopes slopes(Context&, std::vector<float> slopes) { return slopes; }

  // A gated linear unit without biases. `part` has the value's weights, then the gate's weights.
  class GatedLinear {
   public:
    GatedLinear(Context& context, const Weights& weights, const LinearPart& part,
                std::size_t inputs, Precision precision)
        : both_(context, weights, {&part, 1}, inputs, precision, Epilogue::kNone) {}

    void run(Context& context, const Matrix& in, Matrix& both, Matrix& out) const {
      both_.run(context, in, both);
      gated_gelu(context, both, out);
    }

   private:
    Linear both_;
  };
  // Makes the `both` matrix for GatedLinear::run().
  static Matrix gated_scratch(Context&, std::size_t rows, std::size_t outputs) {
    return {rows, 2 * outputs};
  }

  static void normalise(Context& context, const LayerNorm& norm, Stream& stream) {
    norm.run(context, stream.values, stream.values);
  }
  // Normalises `in` and writes the result to `out` in the form that `projection` reads.
  static void normalise_for(Context& context, const LayerNorm& norm, const Matrix& in,
                            const Linear& /*projection*/, Operand& out) {
    norm.run(context, in, out);
  }
  static void normalise_relu(Context&, const BatchNormRelu& norm, Matrix& values) {
    norm.run(values);
  }
  template <typename Token>
  static void embed(Context& context, const Embedding& embedding, const Batch<Token>& batch,
                    Matrix& out) {
    embedding.run(context, batch.tokens, out);
  }
  template <typename Token>
  static void rotary_attention(Context& context, std::size_t heads, const Rotary& rotary,
                               const Batch<Token>& batch, const Matrix& qkv, Matrix& out) {
    virnucpro::rotary_attention(context, heads,
                                RotaryTable(rotary, longest_sequence(batch.offsets)), batch.offsets,
                                qkv, out);
  }
  template <typename Token>
  static void alibi_attention(Context& context, const Slopes& slopes, const Batch<Token>& batch,
                              const Matrix& qkv, Matrix& out) {
    virnucpro::alibi_attention(context, slopes, batch.offsets, qkv, out);
  }
  template <typename Token>
  static void mean_pool(Context& context, const Matrix& in, const Batch<Token>& batch,
                        const PooledRows& rows, Pooled out) {
    virnucpro::mean_pool(context, in, pooled_rows(batch.offsets, rows), out);
  }
  // Computes each sequence's mean of the normalised rows. May overwrite `in` and `scratch` (the
  // queries, keys and values), because nothing reads them afterwards.
  template <typename Token>
  static void pool_normalised(Context& context, const LastNorm& norm, Matrix& in,
                              const Batch<Token>& batch, const PooledRows& rows,
                              Matrix& /*scratch*/, Pooled out) {
    norm.run(context, in, in);
    mean_pool(context, in, batch, rows, out);
  }
};

}  // namespace virnucpro
