#include "models/dnabert_s.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/error.hpp"
#include "models/batch.hpp"
#include "ops/attention.hpp"
#include "ops/embedding.hpp"
#include "ops/gated_gelu.hpp"
#include "ops/layer_norm.hpp"
#include "ops/linear.hpp"
#include "ops/mean_pool.hpp"

namespace virnucpro {
namespace {

void check_shape(const DnabertWeights& weights) {
  const DnabertShape& shape = weights.shape;
  if (shape.width == 0 || shape.heads == 0 || shape.ffn == 0 || shape.layers == 0 ||
      shape.vocabulary == 0 || shape.width % shape.heads != 0) {
    throw Error(ErrorKind::kWeightsFormat, {.file = weights.tensors->origin()},
                fmt::format("{} layers, width {}, {} heads, feed-forward width {}, vocabulary {}: "
                            "every size must be positive and the width a multiple of the heads",
                            shape.layers, shape.width, shape.heads, shape.ffn, shape.vocabulary));
  }
}

LinearPart part(const std::string& name, std::size_t outputs) {
  return {name + ".weight", name + ".bias", outputs};
}

// One transformer layer; `name` is "encoder.layer.N".
struct Layer {
  Layer(OpContext& context, const DnabertShape& shape, const Weights& weights,
        const std::string& name);

  Linear query_key_value;
  Linear attention_output;
  LayerNorm attention_norm;
  Linear gated;
  Linear ffn_out;
  LayerNorm ffn_norm;
};

Layer::Layer(OpContext& context, const DnabertShape& shape, const Weights& weights,
             const std::string& name)
    : query_key_value(
          context, weights,
          std::vector{part(name + ".attention.self.Wqkv", std::size_t{3} * shape.width)},
          shape.width, context.precision, Epilogue::kBias),
      attention_output(context, weights,
                       std::vector{part(name + ".attention.output.dense", shape.width)},
                       shape.width, context.precision, Epilogue::kBiasAdd),
      attention_norm(weights, name + ".attention.output.LayerNorm", shape.width,
                     shape.layer_norm_eps),
      gated(context, weights,
            std::vector{part(name + ".mlp.gated_layers", std::size_t{2} * shape.ffn)}, shape.width,
            context.precision, Epilogue::kNone),
      ffn_out(context, weights, std::vector{part(name + ".mlp.wo", shape.width)}, shape.ffn,
              context.precision, Epilogue::kBiasAdd),
      ffn_norm(weights, name + ".mlp.layernorm", shape.width, shape.layer_norm_eps) {}

std::vector<RowRange> all_rows(std::span<const std::uint32_t> offsets) {
  std::vector<RowRange> ranges;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    ranges.push_back({offsets[i], offsets[i + 1]});
  }
  return ranges;
}

// Word embeddings with the embedding of token type 0, which every token has, already added.
Embedding token_embedding(const DnabertShape& shape, const Weights& weights) {
  Embedding embedding(weights, "embeddings.word_embeddings.weight", shape.vocabulary, shape.width,
                      1.0F);
  const std::string name = "embeddings.token_type_embeddings.weight";
  const Shape type_shape = weights.shape(name);
  const std::uint64_t types = type_shape.empty() ? 0 : type_shape.front();
  if (types == 0) {
    throw Error(ErrorKind::kWeightsTensor, {.file = weights.origin(), .tensor = name},
                "no embedding of token type 0");
  }
  const HostArray<float> type_embeddings = read_tensor(weights, name, {types, shape.width});
  embedding.add_to_rows(type_embeddings.span().first(shape.width));
  return embedding;
}

}  // namespace

struct DnabertS::Layers {
  Layers(OpContext& context, const DnabertShape& its_shape, const Weights& weights)
      : shape(its_shape),
        slopes(alibi_slopes(shape.heads)),
        embedding(token_embedding(shape, weights)),
        embedding_norm(weights, "embeddings.LayerNorm", shape.width, shape.layer_norm_eps) {
    for (std::uint32_t i = 0; i < shape.layers; ++i) {
      context.cancel.check();
      layers.emplace_back(context, shape, weights, fmt::format("encoder.layer.{}", i));
    }
  }

  DnabertShape shape;
  std::vector<float> slopes;
  Embedding embedding;
  LayerNorm embedding_norm;
  std::vector<Layer> layers;
};

DnabertS::DnabertS(const DnabertWeights& weights, OpContext& context) {
  check_shape(weights);
  layers_ = std::make_unique<const Layers>(context, weights.shape, *weights.tensors);
}

DnabertS::~DnabertS() = default;
DnabertS::DnabertS(DnabertS&&) noexcept = default;

std::uint32_t DnabertS::width() const {
  return layers_->shape.width;
}

std::uint32_t DnabertS::vocabulary() const {
  return layers_->shape.vocabulary;
}

void DnabertS::embed(OpContext& context, std::span<const std::uint16_t> tokens,
                     std::span<const std::uint32_t> offsets, std::span<float> out) const {
  const DnabertShape& shape = layers_->shape;
  check_batch(
      TokenBatch<std::uint16_t>{tokens, offsets},
      {.model = "DNABERT-S", .vocabulary = shape.vocabulary, .shortest = 1, .width = shape.width},
      out.size());

  Panels x(tokens.size(), shape.width);
  Panels query_key_value(tokens.size(), std::size_t{3} * shape.width);
  Panels attended(tokens.size(), shape.width);
  Panels both_halves(tokens.size(), std::size_t{2} * shape.ffn);
  Panels hidden(tokens.size(), shape.ffn);

  layers_->embedding.run(context, tokens, x);
  layers_->embedding_norm.run(context, x, x);
  for (const Layer& layer : layers_->layers) {
    context.cancel.check();
    layer.query_key_value.run(context, x, query_key_value);
    alibi_attention(context, layers_->slopes, offsets, query_key_value, attended);
    layer.attention_output.run(context, attended, x);
    layer.attention_norm.run(context, x, x);
    layer.gated.run(context, x, both_halves);
    gated_gelu(context, both_halves, hidden);
    layer.ffn_out.run(context, hidden, x);
    layer.ffn_norm.run(context, x, x);
  }
  mean_pool(context, x, all_rows(offsets), out);
}

}  // namespace virnucpro
