#pragma once

// The definitions for models/dnabert_s.hpp. One .cpp file of each backend includes this header.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "models/batch.hpp"
#include "models/dnabert_s.hpp"
#include "ops/read_tensor.hpp"

namespace virnucpro {
namespace dnabert_s {

inline void check_shape(const DnabertWeights& weights) {
  const DnabertShape& shape = weights.shape;
  if (shape.width == 0 || shape.heads == 0 || shape.ffn == 0 || shape.layers == 0 ||
      shape.vocabulary == 0 || shape.width % shape.heads != 0) {
    throw Error(ErrorKind::kWeightsFormat, {.file = weights.tensors->origin()},
                fmt::format("it has {} layers, width {}, {} heads, feed-forward width {}, "
                            "vocabulary {}: all must be positive, and width / heads a whole number",
                            shape.layers, shape.width, shape.heads, shape.ffn, shape.vocabulary));
  }
}

inline LinearPart part(const std::string& name, std::size_t outputs) {
  return {name + ".weight", name + ".bias", outputs};
}

// Reads the embedding of token type 0, the type of all tokens.
inline HostArray<float> type_embedding(const DnabertShape& shape, const Weights& weights) {
  const std::string name = "embeddings.token_type_embeddings.weight";
  const Shape type_shape = weights.shape(name);
  const std::uint64_t types = type_shape.empty() ? 0 : type_shape.front();
  if (types == 0) {
    throw Error(ErrorKind::kWeightsTensor, {.file = weights.origin(), .tensor = name},
                "it has no row for token type 0");
  }
  return read_tensor(weights, name, {types, shape.width});
}

}  // namespace dnabert_s

template <class Backend>
struct DnabertSModel<Backend>::Layers {
  // Reads tensors whose names begin with `name`, which is "encoder.layer.N".
  struct Layer {
    Layer(Context& context, const DnabertShape& shape, const Weights& weights,
          const std::string& name);

    typename Backend::Linear query_key_value;
    typename Backend::Linear attention_output;
    typename Backend::LayerNorm attention_norm;
    typename Backend::GatedLinear gated;
    typename Backend::Linear ffn_out;
    typename Backend::LayerNorm ffn_norm;
  };

  Layers(Context& context, const DnabertShape& its_shape, const Weights& weights)
      : shape(its_shape),
        slopes(Backend::slopes(context, alibi_slopes(shape.heads))),
        embedding(Backend::embedding(
            context, weights, "embeddings.word_embeddings.weight", shape.vocabulary, shape.width,
            1.0F, dnabert_s::type_embedding(shape, weights).span().first(shape.width))),
        embedding_norm(Backend::layer_norm(context, weights, "embeddings.LayerNorm", shape.width,
                                           shape.layer_norm_eps)) {
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
      context.cancel.check_late();
      layers.emplace_back(context, shape, weights, fmt::format("encoder.layer.{}", i));
    }
  }

  DnabertShape shape;
  typename Backend::Slopes slopes;
  typename Backend::Embedding embedding;
  typename Backend::LayerNorm embedding_norm;
  std::vector<Layer> layers;
};

template <class Backend>
DnabertSModel<Backend>::Layers::Layer::Layer(Context& context, const DnabertShape& shape,
                                             const Weights& weights, const std::string& name)
    : query_key_value(
          context, weights,
          std::vector{dnabert_s::part(name + ".attention.self.Wqkv", std::size_t{3} * shape.width)},
          shape.width, context.precision, Epilogue::kBias),
      attention_output(context, weights,
                       std::vector{dnabert_s::part(name + ".attention.output.dense", shape.width)},
                       shape.width, context.precision, Epilogue::kBiasAdd),
      attention_norm(Backend::layer_norm(context, weights, name + ".attention.output.LayerNorm",
                                         shape.width, shape.layer_norm_eps)),
      gated(context, weights,
            dnabert_s::part(name + ".mlp.gated_layers", std::size_t{2} * shape.ffn), shape.width,
            context.precision),
      ffn_out(context, weights, std::vector{dnabert_s::part(name + ".mlp.wo", shape.width)},
              shape.ffn, context.precision, Epilogue::kBiasAdd),
      ffn_norm(Backend::layer_norm(context, weights, name + ".mlp.layernorm", shape.width,
                                   shape.layer_norm_eps)) {}

template <class Backend>
DnabertSModel<Backend>::DnabertSModel(const DnabertWeights& weights, Context& context) {
  dnabert_s::check_shape(weights);
  Backend::check_head_width(*weights.tensors, weights.shape.width / weights.shape.heads);
  layers_ = std::make_unique<const Layers>(context, weights.shape, *weights.tensors);
}

template <class Backend>
DnabertSModel<Backend>::~DnabertSModel() = default;
template <class Backend>
DnabertSModel<Backend>::DnabertSModel(DnabertSModel&&) noexcept = default;

template <class Backend>
std::uint32_t DnabertSModel<Backend>::width() const {
  return layers_->shape.width;
}

template <class Backend>
std::uint32_t DnabertSModel<Backend>::vocabulary() const {
  return layers_->shape.vocabulary;
}

template <class Backend>
typename DnabertSModel<Backend>::Activations DnabertSModel<Backend>::activations(
    Context& context, const DnabertShape& shape, std::size_t tokens) {
  return {.x = Backend::stream(context, tokens, shape.width),
          .query_key_value = Backend::operand(context, tokens, std::size_t{3} * shape.width),
          .attended = Backend::operand(context, tokens, shape.width),
          .both_halves = Backend::gated_scratch(context, tokens, shape.ffn),
          .hidden = Backend::operand(context, tokens, shape.ffn)};
}

template <class Backend>
void DnabertSModel<Backend>::embed(Context& context,
                                   const typename Backend::template Batch<std::uint16_t>& batch,
                                   typename Backend::Pooled out) const {
  const DnabertShape& shape = layers_->shape;
  check_batch(
      batch,
      {.model = "DNABERT-S", .vocabulary = shape.vocabulary, .shortest = 1, .width = shape.width},
      out.size());

  auto [x, query_key_value, attended, both_halves, hidden] =
      activations(context, shape, batch.tokens.size());
  Backend::embed(context, layers_->embedding, batch, x.values);
  Backend::normalise(context, layers_->embedding_norm, x);
  for (const auto& layer : layers_->layers) {
    context.cancel.check_late();
    layer.query_key_value.run(context, x.operand(), query_key_value);
    Backend::alibi_attention(context, layers_->slopes, batch, query_key_value, attended);
    layer.attention_output.run(context, attended, x.values);
    Backend::normalise(context, layer.attention_norm, x);
    layer.gated.run(context, x.operand(), both_halves, hidden);
    layer.ffn_out.run(context, hidden, x.values);
    Backend::normalise(context, layer.ffn_norm, x);
  }
  Backend::mean_pool(context, x.values, batch, PooledRows{}, out);
}

}  // namespace virnucpro
