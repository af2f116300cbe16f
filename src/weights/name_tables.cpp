#include "weights/name_tables.hpp"

#include <fmt/format.h>

namespace virnucpro {
namespace {

using enum Dim;
using enum Fill;
using namespace std::string_view_literals;

constexpr std::string_view kLayer = ".N.";

// ESM-2. A row has the name in fair-esm, then the name in Hugging Face's EsmModel. In EsmModel,
// attention.LayerNorm comes before the attention, and LayerNorm before the feed-forward part. The
// published values of inv_freq were rounded to fp16 in training and must be used unchanged;
// synthetic models lack inv_freq, so exact values are computed.
constexpr std::array kEsm2{
    NameRow{"embed_tokens.weight", "embeddings.word_embeddings.weight", kVocabulary, kWidth,
            kUniform, 0},
    NameRow{"layers.N.self_attn.q_proj.weight", "encoder.layer.N.attention.self.query.weight",
            kWidth, kWidth, kFanIn, 1},
    NameRow{"layers.N.self_attn.q_proj.bias", "encoder.layer.N.attention.self.query.bias", kWidth,
            kNone, kUniform, -4},
    NameRow{"layers.N.self_attn.k_proj.weight", "encoder.layer.N.attention.self.key.weight", kWidth,
            kWidth, kFanIn, 0},
    NameRow{"layers.N.self_attn.k_proj.bias", "encoder.layer.N.attention.self.key.bias", kWidth,
            kNone, kUniform, -4},
    NameRow{"layers.N.self_attn.v_proj.weight", "encoder.layer.N.attention.self.value.weight",
            kWidth, kWidth, kFanIn, 0},
    NameRow{"layers.N.self_attn.v_proj.bias", "encoder.layer.N.attention.self.value.bias", kWidth,
            kNone, kUniform, -4},
    NameRow{"layers.N.self_attn.out_proj.weight", "encoder.layer.N.attention.output.dense.weight",
            kWidth, kWidth, kFanIn, 0},
    NameRow{"layers.N.self_attn.out_proj.bias", "encoder.layer.N.attention.output.dense.bias",
            kWidth, kNone, kUniform, -6},
    NameRow{"layers.N.self_attn.rot_emb.inv_freq",
            "encoder.layer.N.attention.self.rotary_embeddings.inv_freq", kHalfHead, kNone, kAbsent,
            0, kOptional},
    NameRow{"layers.N.self_attn_layer_norm.weight", "encoder.layer.N.attention.LayerNorm.weight",
            kWidth, kNone, kNearOne, 0},
    NameRow{"layers.N.self_attn_layer_norm.bias", "encoder.layer.N.attention.LayerNorm.bias",
            kWidth, kNone, kUniform, -4},
    NameRow{"layers.N.fc1.weight", "encoder.layer.N.intermediate.dense.weight", kFfn, kWidth,
            kFanIn, 1},
    NameRow{"layers.N.fc1.bias", "encoder.layer.N.intermediate.dense.bias", kFfn, kNone, kUniform,
            -4},
    NameRow{"layers.N.fc2.weight", "encoder.layer.N.output.dense.weight", kWidth, kFfn, kFanIn, -1},
    NameRow{"layers.N.fc2.bias", "encoder.layer.N.output.dense.bias", kWidth, kNone, kUniform, -6},
    NameRow{"layers.N.final_layer_norm.weight", "encoder.layer.N.LayerNorm.weight", kWidth, kNone,
            kNearOne, 0},
    NameRow{"layers.N.final_layer_norm.bias", "encoder.layer.N.LayerNorm.bias", kWidth, kNone,
            kUniform, -4},
    NameRow{"emb_layer_norm_after.weight", "encoder.emb_layer_norm_after.weight", kWidth, kNone,
            kNearOne, 0},
    NameRow{"emb_layer_norm_after.bias", "encoder.emb_layer_norm_after.bias", kWidth, kNone,
            kUniform, -4},
};
constexpr std::array kEsm2Prefixes{""sv, "encoder.sentence_encoder."sv, "encoder."sv,
                                   "sentence_encoder."sv, "esm."sv};

// DNABERT-S (MosaicBERT). LayerNorms may have the names of TensorFlow's BERT. In synthetic models,
// attention and feed-forward part add little to the residual stream. If they added more, errors of
// bf16 would grow from layer to layer: after twelve layers the cosine between results in bf16 and
// in fp32 would be 0.997, as in torch, instead of 0.99999.
constexpr std::array kDnabert{
    NameRow{"embeddings.word_embeddings.weight", "", kVocabulary, kWidth, kUniform, 0},
    NameRow{"embeddings.token_type_embeddings.weight", "", kTokenTypes, kWidth, kUniform, -4},
    NameRow{"embeddings.LayerNorm.weight", "embeddings.LayerNorm.gamma", kWidth, kNone, kNearOne,
            0},
    NameRow{"embeddings.LayerNorm.bias", "embeddings.LayerNorm.beta", kWidth, kNone, kUniform, -4},
    NameRow{"encoder.layer.N.attention.self.Wqkv.weight", "", kThriceWidth, kWidth, kFanIn, 0},
    NameRow{"encoder.layer.N.attention.self.Wqkv.bias", "", kThriceWidth, kNone, kUniform, -4},
    NameRow{"encoder.layer.N.attention.output.dense.weight", "", kWidth, kWidth, kFanIn, -2},
    NameRow{"encoder.layer.N.attention.output.dense.bias", "", kWidth, kNone, kUniform, -6},
    NameRow{"encoder.layer.N.attention.output.LayerNorm.weight",
            "encoder.layer.N.attention.output.LayerNorm.gamma", kWidth, kNone, kNearOne, 0},
    NameRow{"encoder.layer.N.attention.output.LayerNorm.bias",
            "encoder.layer.N.attention.output.LayerNorm.beta", kWidth, kNone, kUniform, -4},
    NameRow{"encoder.layer.N.mlp.gated_layers.weight", "", kTwiceFfn, kWidth, kFanIn, 1},
    NameRow{"encoder.layer.N.mlp.wo.weight", "", kWidth, kFfn, kFanIn, -3},
    NameRow{"encoder.layer.N.mlp.wo.bias", "", kWidth, kNone, kUniform, -6},
    NameRow{"encoder.layer.N.mlp.layernorm.weight", "encoder.layer.N.mlp.layernorm.gamma", kWidth,
            kNone, kNearOne, 0},
    NameRow{"encoder.layer.N.mlp.layernorm.bias", "encoder.layer.N.mlp.layernorm.beta", kWidth,
            kNone, kUniform, -4},
};
constexpr std::array kDnabertPrefixes{""sv, "bert."sv};

// With these exponents the difference of the two logits has a standard deviation near 2, if
// synthetic models embed random coding frames.
constexpr std::array kClassifier{
    NameRow{"hidden_layer.weight", "", kHidden, kInputs, kFanIn, 3},
    NameRow{"hidden_layer.bias", "", kHidden, kNone, kUniform, -4},
    NameRow{"bn1.weight", "", kHidden, kNone, kNearOne, 0},
    NameRow{"bn1.bias", "", kHidden, kNone, kUniform, -4},
    NameRow{"bn1.running_mean", "", kHidden, kNone, kUniform, -4},
    NameRow{"bn1.running_var", "", kHidden, kNone, kNearOne, 0, kNonNegative},
    NameRow{"output_layer.weight", "", kClasses, kHidden, kFanIn, 1},
    NameRow{"output_layer.bias", "", kClasses, kNone, kUniform, -4},
};
constexpr std::array kClassifierPrefixes{""sv, "module."sv};

constexpr NameTable kEsm2Table{kEsm2, kEsm2Prefixes};
constexpr NameTable kDnabertTable{kDnabert, kDnabertPrefixes};
constexpr NameTable kClassifierTable{kClassifier, kClassifierPrefixes};

}  // namespace

const NameTable& esm2_names() {
  return kEsm2Table;
}
const NameTable& dnabert_names() {
  return kDnabertTable;
}
const NameTable& classifier_names() {
  return kClassifierTable;
}

bool is_per_layer(const NameRow& row) {
  return row.name.find(kLayer) != std::string_view::npos;
}

std::string layer_name(std::string_view pattern, std::uint32_t layer) {
  const std::size_t place = pattern.find(kLayer);
  if (place == std::string_view::npos) return std::string(pattern);
  return fmt::format("{}.{}.{}", pattern.substr(0, place), layer,
                     pattern.substr(place + kLayer.size()));
}

Shape shape_of(const NameRow& row, const DimSizes& sizes) {
  Shape shape;
  for (const Dim dim : {row.rows, row.columns}) {
    if (dim != Dim::kNone) shape.push_back(sizes[static_cast<std::size_t>(dim)]);
  }
  return shape;
}

std::uint64_t count_numbers(const NameTable& table, const DimSizes& sizes, std::uint32_t layers) {
  std::uint64_t total = 0;
  for (const NameRow& row : table.rows) {
    if ((row.traits & kOptional) != 0) continue;
    std::uint64_t numbers = is_per_layer(row) ? layers : 1U;
    for (const std::uint64_t size : shape_of(row, sizes)) numbers *= size;
    total += numbers;
  }
  return total;
}

}  // namespace virnucpro
