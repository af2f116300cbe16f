#include "weights/recognise.hpp"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "weights/file_weights.hpp"
#include "weights/model_config.hpp"

namespace virnucpro {
namespace {

using Names = std::initializer_list<std::string_view>;

constexpr std::uint64_t kAlphabet = 33;
constexpr std::uint32_t kDnabertHead = 64;  // head width if config.json is missing
constexpr std::uint64_t kTwoTokenTypes = 2;
constexpr std::uint64_t kMaxSize = 1U << 20U;  // limit of a size, so that no product overflows
constexpr double kEsm2Eps = 1e-5;

constexpr std::string_view kLearnedPositions = "embed_positions.weight";
constexpr std::string_view kBertPositions = "embeddings.position_embeddings.weight";

std::string file_of(const ModelFiles& model) {
  return model.path.string();
}

[[noreturn]] void refuse(const ModelFiles& model, std::string detail) {
  throw Error(ErrorKind::kWeightsFormat, Place{.file = file_of(model)}, std::move(detail))
      .advised(kOtherModelAdvice);
}

// Returns the number of rows (dimension 0) or columns (1) of the matrix `name`.
std::uint32_t size_in(const ModelFiles& model, const NameTable& table, std::string_view name,
                      std::size_t dimension) {
  const StoredTensor& tensor = require_tensor(model, table, name).tensor;
  if (tensor.shape.size() != 2 || tensor.shape[dimension] == 0 ||
      tensor.shape[dimension] > kMaxSize) {
    throw Error(ErrorKind::kWeightsTensor,
                Place{.file = file_of(model), .tensor = std::string(name)},
                fmt::format("shape {}, expected a matrix with 1 to {} rows and columns",
                            shape_text(tensor.shape), kMaxSize));
  }
  return static_cast<std::uint32_t>(tensor.shape[dimension]);
}

// Throws if the first of the settings `names` that is present differs from `from_tensors`.
void agree(const ModelFiles& model, Names names, std::uint64_t from_tensors) {
  const auto said = whole_setting(model.settings, file_of(model), names);
  if (said && (*said < 0 || static_cast<std::uint64_t>(*said) != from_tensors)) {
    refuse(model, fmt::format("the settings say {} = {}, but the tensors have {}",
                              name_in(model.settings, names), *said, from_tensors));
  }
}

// Returns the settings' number of layers or, if it is not set, the tensors' number, `found`. If the
// tensors have fewer layers than the settings say, a later error names a missing tensor.
std::uint32_t layers_of(const ModelFiles& model, Names names, std::uint32_t found) {
  const auto said = whole_setting(model.settings, file_of(model), names);
  if (!said) return found;
  if (*said < 1 || *said > 4096 || static_cast<std::uint32_t>(*said) < found) {
    refuse(model, fmt::format("the settings say {} = {}, but the tensors have {}",
                              name_in(model.settings, names), *said, found));
  }
  return static_cast<std::uint32_t>(*said);
}

std::uint32_t checked_heads(const ModelFiles& model, std::int64_t heads, std::uint32_t width,
                            std::uint32_t multiple) {
  if (heads < 1 || heads > width || width % (heads * multiple) != 0) {
    refuse(model, fmt::format(
                      "{} attention heads do not fit a width of {}: the width of each head must be "
                      "{} number",
                      heads, width, multiple == 1 ? "a whole" : "an even"));
  }
  return static_cast<std::uint32_t>(heads);
}

std::uint32_t esm2_heads(const ModelFiles& model, std::uint32_t width) {
  const auto said =
      whole_setting(model.settings, file_of(model),
                    {"num_attention_heads", "encoder_attention_heads", "attention_heads"});
  if (said) return checked_heads(model, *said, width, 2);
  for (const NameRow& row : esm2_names().rows) {
    if (row.rows != Dim::kHalfHead) continue;
    const LocatedTensor* frequencies = find_tensor(model, esm2_names(), row);
    if (frequencies == nullptr || frequencies->tensor.shape.size() != 1) break;
    const std::uint64_t half = frequencies->tensor.shape[0];
    if (half == 0 || half > width || width % (2 * half) != 0) break;
    return static_cast<std::uint32_t>(width / (2 * half));
  }
  refuse(model,
         "the number of attention heads is unknown; put the model's config.json beside the file");
}

void refuse_other_esm(const ModelFiles& model) {
  const std::string file = file_of(model);
  expect_setting(model.settings, file, "model_type", "esm");
  expect_setting(model.settings, file, "position_embedding_type", "rotary");
  expect_setting(model.settings, file, "hidden_act", "gelu");
  if (flag_setting(model.settings, file, {"emb_layer_norm_before"}).value_or(false)) {
    refuse(model,
           "the model has a LayerNorm before its layers, so it is ESM-1b or ESM-1v, not ESM-2");
  }
  const double eps = real_setting(model.settings, file, {"layer_norm_eps"}).value_or(kEsm2Eps);
  if (std::abs(eps - kEsm2Eps) > 1e-9) {
    refuse(model, fmt::format("the setting layer_norm_eps is {}, expected {}", eps, kEsm2Eps));
  }
  for (const std::string_view prefix : esm2_names().prefixes) {
    if (model.tensors.contains(std::string(prefix) + std::string(kLearnedPositions))) {
      refuse(model, "the model has learned positions, so it is ESM-1b or ESM-1v, not ESM-2");
    }
  }
}

void refuse_other_bert(const ModelFiles& model) {
  const std::string file = file_of(model);
  expect_setting(model.settings, file, "model_type", "bert");
  expect_setting(model.settings, file, "hidden_act", "gelu");
  for (const std::string_view prefix : dnabert_names().prefixes) {
    if (model.tensors.contains(std::string(prefix) + std::string(kBertPositions))) {
      refuse(model, "the model has position embeddings, so it is BERT or DNABERT, not DNABERT-S");
    }
  }
}

}  // namespace

Esm2Shape recognise_esm2(const ModelFiles& model) {
  refuse_other_esm(model);
  const NameTable& table = esm2_names();
  const std::string file = file_of(model);
  Esm2Shape shape;
  shape.width = size_in(model, table, "embed_tokens.weight", 1);
  shape.ffn = size_in(model, table, "layers.N.fc1.weight", 0);
  shape.heads = esm2_heads(model, shape.width);
  shape.layers = layers_of(model, {"num_hidden_layers", "encoder_layers", "layers"},
                           count_layers(model, table, "layers.N.fc1.weight"));
  agree(model, {"hidden_size", "encoder_embed_dim", "embed_dim"}, shape.width);
  agree(model, {"intermediate_size", "encoder_ffn_embed_dim", "ffn_embed_dim"}, shape.ffn);
  // The default of token_dropout is false in settings of transformers (which have model_type), and
  // true in all other settings.
  const bool unsaid = !model.settings.contains("model_type");
  shape.token_dropout = flag_setting(model.settings, file, {"token_dropout"}).value_or(unsaid);
  return shape;
}

DnabertShape recognise_dnabert(const ModelFiles& model) {
  refuse_other_bert(model);
  const NameTable& table = dnabert_names();
  constexpr std::string_view kGated = "encoder.layer.N.mlp.gated_layers.weight";
  const std::string file = file_of(model);
  DnabertShape shape;
  shape.vocabulary = size_in(model, table, "embeddings.word_embeddings.weight", 0);
  shape.width = size_in(model, table, "embeddings.word_embeddings.weight", 1);
  shape.ffn = size_in(model, table, kGated, 0) / 2;
  const auto heads = whole_setting(model.settings, file, {"num_attention_heads"});
  shape.heads = checked_heads(model, heads.value_or(shape.width / kDnabertHead), shape.width, 1);
  shape.layers = layers_of(model, {"num_hidden_layers"}, count_layers(model, table, kGated));
  agree(model, {"hidden_size"}, shape.width);
  agree(model, {"intermediate_size"}, shape.ffn);
  agree(model, {"vocab_size"}, shape.vocabulary);
  const double eps = real_setting(model.settings, file, {"layer_norm_eps"}).value_or(1e-12);
  if (!(eps > 0 && eps < 1)) {
    refuse(model, fmt::format("the setting layer_norm_eps is {}; it must be between 0 and 1", eps));
  }
  shape.layer_norm_eps = static_cast<float>(eps);
  return shape;
}

ClassifierShape recognise_classifier(const ModelFiles& model) {
  const NameTable& table = classifier_names();
  ClassifierShape shape;
  shape.inputs = size_in(model, table, "hidden_layer.weight", 1);
  shape.hidden = size_in(model, table, "hidden_layer.weight", 0);
  shape.classes = size_in(model, table, "output_layer.weight", 0);
  if (shape.classes != 2) {
    refuse(model, fmt::format("the classifier has {} classes, expected 2", shape.classes));
  }
  const double eps = real_setting(model.settings, file_of(model), {"bn1.eps"}).value_or(1e-5);
  if (!(eps > 0 && eps < 1)) {
    refuse(model, fmt::format("the setting bn1.eps is {}; it must be between 0 and 1", eps));
  }
  shape.batch_norm_eps = static_cast<float>(eps);
  return shape;
}

DimSizes dims_of(const Esm2Shape& shape) {
  DimSizes sizes{};
  size_of(sizes, Dim::kVocabulary) = kAlphabet;
  size_of(sizes, Dim::kWidth) = shape.width;
  size_of(sizes, Dim::kFfn) = shape.ffn;
  size_of(sizes, Dim::kHalfHead) = shape.width / shape.heads / 2;
  return sizes;
}

DimSizes dims_of(const DnabertShape& shape) {
  DimSizes sizes{};
  size_of(sizes, Dim::kVocabulary) = shape.vocabulary;
  size_of(sizes, Dim::kTokenTypes) = kTwoTokenTypes;
  size_of(sizes, Dim::kWidth) = shape.width;
  size_of(sizes, Dim::kThriceWidth) = std::uint64_t{3} * shape.width;
  size_of(sizes, Dim::kFfn) = shape.ffn;
  size_of(sizes, Dim::kTwiceFfn) = std::uint64_t{2} * shape.ffn;
  return sizes;
}

DimSizes dims_of(const ClassifierShape& shape) {
  DimSizes sizes{};
  size_of(sizes, Dim::kInputs) = shape.inputs;
  size_of(sizes, Dim::kHidden) = shape.hidden;
  size_of(sizes, Dim::kClasses) = shape.classes;
  return sizes;
}

std::uint64_t numbers_of(const Esm2Shape& shape) {
  return count_numbers(esm2_names(), dims_of(shape), shape.layers);
}

std::uint64_t numbers_of(const DnabertShape& shape) {
  return count_numbers(dnabert_names(), dims_of(shape), shape.layers);
}

std::uint64_t numbers_of(const ClassifierShape& shape) {
  return count_numbers(classifier_names(), dims_of(shape), 1);
}

// Returns the tensors. Their hash includes the settings, unless these are the settings of a
// published model or of the tiny model (4 heads).
std::unique_ptr<CheckedWeights> esm2_tensors(const ModelFiles& model, const Esm2Shape& shape) {
  auto tensors = make_file_weights(model, esm2_names(), dims_of(shape), shape.layers);
  const std::uint32_t published = shape.width < 320 ? 4 : shape.width < 2560 ? 20 : 40;
  if (shape.heads != published || !shape.token_dropout) {
    tensors->set_settings(
        fmt::format("{} heads, token dropout {}", shape.heads, shape.token_dropout));
  }
  return tensors;
}

std::unique_ptr<CheckedWeights> dnabert_tensors(const ModelFiles& model,
                                                const DnabertShape& shape) {
  auto tensors = make_file_weights(model, dnabert_names(), dims_of(shape), shape.layers);
  const std::uint32_t head = shape.width < kDnabertHead ? 16 : kDnabertHead;
  if (shape.heads != shape.width / head || shape.layer_norm_eps != DnabertShape{}.layer_norm_eps) {
    tensors->set_settings(fmt::format("{} heads, epsilon {}", shape.heads, shape.layer_norm_eps));
  }
  return tensors;
}

std::unique_ptr<CheckedWeights> classifier_tensors(const ModelFiles& model,
                                                   const ClassifierShape& shape) {
  auto tensors = make_file_weights(model, classifier_names(), dims_of(shape), 1);
  if (shape.batch_norm_eps != ClassifierShape{}.batch_norm_eps) {
    tensors->set_settings(fmt::format("epsilon {}", shape.batch_norm_eps));
  }
  return tensors;
}

}  // namespace virnucpro
