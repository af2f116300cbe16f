#include "weights/load.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "weights/locate.hpp"
#include "weights/recognise.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

constexpr std::uint32_t kSyntheticVocabulary = 4096;  // as in the published tokenizer.json
constexpr std::uint32_t kSyntheticHidden = 512;

std::filesystem::path find_tokenizer(const std::filesystem::path& directory,
                                     const ModelLookup& lookup) {
  std::filesystem::path beside = directory / "tokenizer.json";
  std::filesystem::path shared = lookup.share_dir / "dnabert-s" / "tokenizer.json";
  if (!directory.empty() && is_model_file(beside)) return beside;
  if (is_there(shared)) return shared;
  throw Error(ErrorKind::kWeightsMissing,
              fmt::format("the tokenizer of DNABERT-S is missing: there is no {} and no {}",
                          beside.string(), shared.string()))
      .advised("Get the published tokenizer.json: virnucpro download dnabert-s.");
}

}  // namespace

Esm2Weights load_esm2(const std::string& model, const ModelLookup& lookup) {
  if (!is_synthetic(model)) {
    const ModelFiles files = open_model_files(locate_model(ModelFamily::kEsm2, model, lookup));
    const Esm2Shape shape = recognise_esm2(files);
    return {shape, esm2_tensors(files, shape)};
  }
  const SyntheticName name = parse_synthetic(model);
  const SyntheticShape& sizes = find_synthetic_shape(synthetic_esm2_shapes(), name.name);
  const Esm2Shape shape = esm2_shape(sizes);
  const SyntheticVariant* variant = variant_of(name.name);
  const std::string ending = variant == nullptr ? "" : fmt::format("-{}", variant->name);
  return {shape,
          make_synthetic_weights(esm2_names(), dims_of(shape), shape.layers, name.seed,
                                 fmt::format("synthetic:{}{}:{}", sizes.name, ending, name.seed),
                                 edits_of(variant, shape, name.seed))};
}

DnabertWeights load_dnabert_s(const std::string& model, const ModelLookup& lookup) {
  if (!is_synthetic(model)) {
    const ModelFiles files = open_model_files(locate_model(ModelFamily::kDnabert, model, lookup));
    const DnabertShape shape = recognise_dnabert(files);
    return {shape, dnabert_tensors(files, shape), find_tokenizer(files.directory, lookup)};
  }
  const SyntheticName name = parse_synthetic(model);
  const SyntheticShape& sizes = find_synthetic_shape(synthetic_dnabert_shapes(), name.name);
  const DnabertShape shape{.layers = sizes.layers,
                           .width = sizes.width,
                           .heads = sizes.heads,
                           .ffn = sizes.ffn,
                           .vocabulary = kSyntheticVocabulary};
  return {shape,
          make_synthetic_weights(dnabert_names(), dims_of(shape), shape.layers, name.seed,
                                 fmt::format("synthetic:{}:{}", sizes.name, name.seed)),
          find_tokenizer({}, lookup)};
}

ClassifierWeights load_classifier(const std::string& model, std::uint32_t inputs,
                                  const ModelLookup& lookup) {
  if (is_synthetic(model)) {
    const SyntheticName name = parse_synthetic(model);
    if (!name.name.empty()) {
      throw Error(
          ErrorKind::kWeightsMissing,
          fmt::format("a synthetic classifier is named synthetic or synthetic:SEED, not \"{}\"",
                      model))
          .advised("Give a classifier file (.pth or safetensors), synthetic, or synthetic:SEED.");
    }
    const ClassifierShape shape{.inputs = inputs, .hidden = kSyntheticHidden};
    return {shape, make_synthetic_weights(classifier_names(), dims_of(shape), 1, name.seed,
                                          fmt::format("synthetic:classifier:{}", name.seed))};
  }
  const ModelFiles files = open_model_files(locate_model(ModelFamily::kClassifier, model, lookup));
  const ClassifierShape shape = recognise_classifier(files);
  if (shape.inputs != inputs) {
    throw Error(
        ErrorKind::kWeightsTensor,
        Place{.file = files.path.string(), .tensor = "hidden_layer.weight"},
        fmt::format("the classifier takes {} numbers, but ESM-2 and DNABERT-S together give {}",
                    shape.inputs, inputs));
  }
  return {shape, classifier_tensors(files, shape)};
}

}  // namespace virnucpro
