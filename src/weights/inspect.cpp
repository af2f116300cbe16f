#include "weights/inspect.hpp"

#include <fmt/format.h>

#include <memory>

#include "weights/file_weights.hpp"
#include "weights/recognise.hpp"

namespace virnucpro {
namespace {

std::string describe_kind(const ModelFiles& model) {
  std::string kind = model.kind == ArchiveKind::kTorchZip ? "torch zip" : "safetensors";
  if (!model.root_class.empty()) kind += ", pickled " + model.root_class;
  if (model.files.size() > 1) kind += fmt::format(", {} files", model.files.size());
  if (model.has_config) kind += ", with config.json";
  if (model.synthetic) kind += ", synthetic weights";
  return kind;
}

// True if the model has the tensor `name`. Choose a `name` that no other model family has.
bool has_any(const ModelFiles& model, const NameTable& table, std::string_view name) {
  for (const NameRow& row : table.rows) {
    if (row.name == name) return find_tensor(model, table, row) != nullptr;
  }
  return false;
}

std::unique_ptr<CheckedWeights> recognise(const ModelFiles& model, Inspection& result) {
  if (has_any(model, classifier_names(), "hidden_layer.weight")) {
    result.model = "classifier";
    const ClassifierShape shape = recognise_classifier(model);
    result.shape = fmt::format("{} inputs, {} hidden units, {} classes", shape.inputs, shape.hidden,
                               shape.classes);
    return classifier_tensors(model, shape);
  }
  if (has_any(model, dnabert_names(), "encoder.layer.N.mlp.gated_layers.weight")) {
    result.model = "DNABERT-S";
    const DnabertShape shape = recognise_dnabert(model);
    result.shape = fmt::format("{} layers, width {}, {} heads, feed-forward {}, vocabulary {}",
                               shape.layers, shape.width, shape.heads, shape.ffn, shape.vocabulary);
    return dnabert_tensors(model, shape);
  }
  if (has_any(model, esm2_names(), "layers.N.fc1.weight")) {
    result.model = "ESM-2";
    const Esm2Shape shape = recognise_esm2(model);
    result.shape = fmt::format("{} layers, width {}, {} heads, feed-forward {}", shape.layers,
                               shape.width, shape.heads, shape.ffn);
    return esm2_tensors(model, shape);
  }
  throw Error(ErrorKind::kWeightsTensor, Place{.file = model.path.string()},
              "the tensors are not those of ESM-2, DNABERT-S or a classifier");
}

}  // namespace

Inspection inspect_model(const std::filesystem::path& path, bool check_values) {
  const ModelFiles model = open_model_files(path);
  Inspection result;
  result.kind = describe_kind(model);
  result.model = "unknown";
  for (const auto& [name, located] : model.tensors) {
    result.tensors.push_back({name, located.tensor.dtype, located.tensor.shape});
  }
  try {
    const auto weights = recognise(model, result);
    if (check_values) result.hash = weights->hash();
  } catch (const Error& error) {
    result.problem = error.what();
  }
  return result;
}

}  // namespace virnucpro
