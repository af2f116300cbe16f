#include "models/esm2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "models/batch.hpp"
#include "ops/attention.hpp"
#include "ops/embedding.hpp"
#include "ops/layer_norm.hpp"
#include "ops/linear.hpp"
#include "ops/mean_pool.hpp"
#include "tokens/esm_alphabet.hpp"

namespace virnucpro {
namespace {

constexpr float kLayerNormEps = 1e-5F;
// Token dropout's rescaling for an input without masks: 1 − 0.15 · 0.8, its share in training.
constexpr float kTokenDropoutScale = 0.88F;
// Residues of a protein that its mean is taken over, at most.
constexpr std::size_t kPooledResidues = 1024;

std::vector<float> inverse_frequencies(const Weights& weights, const std::string& name,
                                       std::size_t head_width) {
  std::vector<float> values(head_width / 2);
  if (weights.has(name)) {
    weights.read(name, {values.size()}, values);
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exponent = static_cast<double>(2 * i) / static_cast<double>(head_width);
    values[i] = static_cast<float>(1.0 / std::pow(10000.0, exponent));
  }
  return values;
}

void check_shape(const Esm2Weights& weights) {
  const Esm2Shape& shape = weights.shape;
  if (shape.width == 0 || shape.heads == 0 || shape.ffn == 0 || shape.layers == 0 ||
      shape.width % shape.heads != 0 || shape.width / shape.heads % 2 != 0) {
    throw Error(ErrorKind::kWeightsFormat, {.file = weights.tensors->origin()},
                fmt::format("{} layers, width {}, {} heads, feed-forward width {}: every size must "
                            "be positive and the width an even multiple of the heads",
                            shape.layers, shape.width, shape.heads, shape.ffn));
  }
}

LinearPart part(const std::string& name, std::size_t outputs) {
  return {name + ".weight", name + ".bias", outputs};
}

// One transformer layer; `name` is "layers.N".
struct Layer {
  Layer(OpContext& context, const Esm2Shape& shape, const Weights& weights,
        const std::string& name);

  LayerNorm attention_norm;
  std::vector<float> inv_freq;
  Linear query_key_value;
  Linear attention_output;
  LayerNorm ffn_norm;
  Linear ffn_in;
  Linear ffn_out;
};

Layer::Layer(OpContext& context, const Esm2Shape& shape, const Weights& weights,
             const std::string& name)
    : attention_norm(weights, name + ".self_attn_layer_norm", shape.width, kLayerNormEps),
      inv_freq(inverse_frequencies(weights, name + ".self_attn.rot_emb.inv_freq",
                                   shape.width / shape.heads)),
      query_key_value(context, weights,
                      std::vector{part(name + ".self_attn.q_proj", shape.width),
                                  part(name + ".self_attn.k_proj", shape.width),
                                  part(name + ".self_attn.v_proj", shape.width)},
                      shape.width, context.precision, Epilogue::kBias),
      attention_output(context, weights,
                       std::vector{part(name + ".self_attn.out_proj", shape.width)}, shape.width,
                       context.precision, Epilogue::kBiasAdd),
      ffn_norm(weights, name + ".final_layer_norm", shape.width, kLayerNormEps),
      ffn_in(context, weights, std::vector{part(name + ".fc1", shape.ffn)}, shape.width,
             context.precision, Epilogue::kBiasGelu),
      ffn_out(context, weights, std::vector{part(name + ".fc2", shape.width)}, shape.ffn,
              context.precision, Epilogue::kBiasAdd) {}

// The residues of each protein that are averaged: between <cls> and <eos>, the first of them.
std::vector<RowRange> pooled_rows(std::span<const std::uint32_t> offsets) {
  std::vector<RowRange> ranges;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::size_t residues = offsets[i + 1] - offsets[i] - 2;
    const std::size_t first = offsets[i] + 1;
    ranges.push_back({first, first + std::min(residues, kPooledResidues)});
  }
  return ranges;
}

}  // namespace

struct Esm2::Layers {
  Layers(OpContext& context, const Esm2Shape& its_shape, const Weights& weights)
      : shape(its_shape),
        embedding(weights, "embed_tokens.weight", kEsmVocabulary, shape.width,
                  shape.token_dropout ? kTokenDropoutScale : 1.0F),
        last_norm(weights, "emb_layer_norm_after", shape.width, kLayerNormEps) {
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
      context.cancel.check();
      layers.emplace_back(context, shape, weights, fmt::format("layers.{}", i));
    }
  }

  Esm2Shape shape;
  Embedding embedding;
  std::vector<Layer> layers;
  LayerNorm last_norm;
};

Esm2::Esm2(const Esm2Weights& weights, OpContext& context) {
  check_shape(weights);
  layers_ = std::make_unique<const Layers>(context, weights.shape, *weights.tensors);
}

Esm2::~Esm2() = default;
Esm2::Esm2(Esm2&&) noexcept = default;

std::uint32_t Esm2::width() const {
  return layers_->shape.width;
}

void Esm2::embed(OpContext& context, std::span<const std::uint8_t> tokens,
                 std::span<const std::uint32_t> offsets, std::span<float> out) const {
  const Esm2Shape& shape = layers_->shape;
  check_batch(TokenBatch<std::uint8_t>{tokens, offsets},
              {.model = "ESM-2", .vocabulary = kEsmVocabulary, .shortest = 3, .width = shape.width},
              out.size());

  Panels x(tokens.size(), shape.width);  // the residual stream
  Panels normed(tokens.size(), shape.width);
  Panels query_key_value(tokens.size(), std::size_t{3} * shape.width);
  Panels attended(tokens.size(), shape.width);
  Panels hidden(tokens.size(), shape.ffn);
  const std::size_t longest = longest_sequence(offsets);

  layers_->embedding.run(context, tokens, x);
  for (const Layer& layer : layers_->layers) {
    context.cancel.check();
    layer.attention_norm.run(context, x, normed);
    layer.query_key_value.run(context, normed, query_key_value);
    rotary_attention(context, shape.heads, RotaryTable(layer.inv_freq, longest), offsets,
                     query_key_value, attended);
    layer.attention_output.run(context, attended, x);
    layer.ffn_norm.run(context, x, normed);
    layer.ffn_in.run(context, normed, hidden);
    layer.ffn_out.run(context, hidden, x);
  }
  layers_->last_norm.run(context, x, normed);
  mean_pool(context, normed, pooled_rows(offsets), out);
}

}  // namespace virnucpro
