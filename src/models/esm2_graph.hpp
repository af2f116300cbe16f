#pragma once

// The definitions for models/esm2.hpp. One .cpp file of each backend includes this header.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "models/batch.hpp"
#include "models/esm2.hpp"
#include "ops/attention.hpp"
#include "tokens/esm_alphabet.hpp"

namespace virnucpro {
namespace esm2 {

inline constexpr float kLayerNormEps = 1e-5F;
// The scale of embeddings if the model was trained with token dropout: 1 − 0.15 · 0.8.
inline constexpr float kTokenDropoutScale = 0.88F;
// A protein's mean leaves out <cls> and <eos>, and all residues after the first 1,024.
inline constexpr PooledRows kPooledResidues{.skipped = 1, .most = 1024};

inline std::vector<float> inverse_frequencies(const Weights& weights, const std::string& name,
                                              std::size_t head_width) {
  if (!weights.has(name)) return rotary_frequencies(head_width);
  std::vector<float> values(head_width / 2);
  weights.read(name, {values.size()}, values);
  return values;
}

inline std::string tensor(std::uint32_t layer, const char* name) {
  return fmt::format("layers.{}.{}", layer, name);
}

inline LinearPart part(const std::string& name, std::size_t outputs) {
  return {name + ".weight", name + ".bias", outputs};
}

}  // namespace esm2

template <class Backend>
struct Esm2Model<Backend>::Layers {
  struct Layer {
    Layer(Context& context, const Esm2Shape& shape, const Weights& weights, std::uint32_t number);

    typename Backend::LayerNorm attention_norm;
    typename Backend::Rotary rotary;
    typename Backend::Linear query_key_value;
    typename Backend::Linear attention_output;
    typename Backend::LayerNorm ffn_norm;
    typename Backend::Linear ffn_in;
    typename Backend::Linear ffn_out;
  };

  Layers(Context& context, const Esm2Shape& its_shape, const Weights& weights)
      : shape(its_shape),
        embedding(Backend::embedding(context, weights, "embed_tokens.weight", kEsmVocabulary,
                                     shape.width,
                                     shape.token_dropout ? esm2::kTokenDropoutScale : 1.0F)),
        last_norm(Backend::last_norm(context, weights, "emb_layer_norm_after", shape.width,
                                     esm2::kLayerNormEps)) {
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
      context.cancel.check_late();
      layers.emplace_back(context, shape, weights, i);
    }
  }

  Esm2Shape shape;
  typename Backend::Embedding embedding;
  std::vector<Layer> layers;
  typename Backend::LastNorm last_norm;
};

template <class Backend>
Esm2Model<Backend>::Layers::Layer::Layer(Context& context, const Esm2Shape& shape,
                                         const Weights& weights, std::uint32_t number)
    : attention_norm(Backend::layer_norm(context, weights,
                                         esm2::tensor(number, "self_attn_layer_norm"), shape.width,
                                         esm2::kLayerNormEps)),
      rotary(Backend::rotary(
          context,
          esm2::inverse_frequencies(weights, esm2::tensor(number, "self_attn.rot_emb.inv_freq"),
                                    shape.width / shape.heads))),
      query_key_value(Backend::projection(
          context, weights, {number, Esm2Linear::kQkv},
          std::vector{esm2::part(esm2::tensor(number, "self_attn.q_proj"), shape.width),
                      esm2::part(esm2::tensor(number, "self_attn.k_proj"), shape.width),
                      esm2::part(esm2::tensor(number, "self_attn.v_proj"), shape.width)},
          shape.width, Epilogue::kBias)),
      attention_output(Backend::projection(
          context, weights, {number, Esm2Linear::kOut},
          std::vector{esm2::part(esm2::tensor(number, "self_attn.out_proj"), shape.width)},
          shape.width, Epilogue::kBiasAdd)),
      ffn_norm(Backend::layer_norm(context, weights, esm2::tensor(number, "final_layer_norm"),
                                   shape.width, esm2::kLayerNormEps)),
      ffn_in(Backend::projection(context, weights, {number, Esm2Linear::kFc1},
                                 std::vector{esm2::part(esm2::tensor(number, "fc1"), shape.ffn)},
                                 shape.width, Epilogue::kBiasGelu)),
      ffn_out(Backend::projection(context, weights, {number, Esm2Linear::kFc2},
                                  std::vector{esm2::part(esm2::tensor(number, "fc2"), shape.width)},
                                  shape.ffn, Epilogue::kBiasAdd)) {}

template <class Backend>
Esm2Model<Backend>::Esm2Model(const Esm2Weights& weights, Context& context) {
  check_esm2_shape(weights);
  Backend::check_head_width(*weights.tensors, weights.shape.width / weights.shape.heads);
  layers_ = std::make_unique<const Layers>(context, weights.shape, *weights.tensors);
}

template <class Backend>
Esm2Model<Backend>::~Esm2Model() = default;
template <class Backend>
Esm2Model<Backend>::Esm2Model(Esm2Model&&) noexcept = default;

template <class Backend>
std::uint32_t Esm2Model<Backend>::width() const {
  return layers_->shape.width;
}

template <class Backend>
typename Esm2Model<Backend>::Activations Esm2Model<Backend>::activations(Context& context,
                                                                         const Esm2Shape& shape,
                                                                         std::size_t tokens) {
  return {.x = Backend::residual(context, tokens, shape.width),
          .normed = Backend::operand(context, tokens, shape.width),
          .query_key_value = Backend::product(context, tokens, std::size_t{3} * shape.width),
          .attended = Backend::operand(context, tokens, shape.width),
          .hidden = Backend::operand(context, tokens, shape.ffn)};
}

template <class Backend>
void Esm2Model<Backend>::embed(Context& context,
                               const typename Backend::template Batch<std::uint8_t>& batch,
                               typename Backend::Pooled out) const {
  const Esm2Shape& shape = layers_->shape;
  check_batch(batch,
              {.model = "ESM-2", .vocabulary = kEsmVocabulary, .shortest = 3, .width = shape.width},
              out.size());

  auto [x, normed, query_key_value, attended, hidden] =
      activations(context, shape, batch.tokens.size());
  Backend::embed(context, layers_->embedding, batch, x);
  for (const auto& layer : layers_->layers) {
    context.cancel.check_late();
    Backend::normalise_for(context, layer.attention_norm, x, layer.query_key_value, normed);
    layer.query_key_value.run(context, normed, query_key_value);
    Backend::rotary_attention(context, shape.heads, layer.rotary, batch, query_key_value, attended);
    layer.attention_output.run(context, attended, x);
    Backend::normalise_for(context, layer.ffn_norm, x, layer.ffn_in, normed);
    layer.ffn_in.run(context, normed, hidden);
    layer.ffn_out.run(context, hidden, x);
  }
  Backend::pool_normalised(context, layers_->last_norm, x, batch, esm2::kPooledResidues,
                           query_key_value, out);
}

}  // namespace virnucpro
