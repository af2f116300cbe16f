#pragma once

#include <filesystem>
#include <string>

#include "weights/weights.hpp"

namespace virnucpro {

// Where named models are looked for.
struct ModelLookup {
  std::filesystem::path models_dir;  // --models-dir or VIRNUCPRO_MODELS; may be empty
  std::filesystem::path share_dir;   // share/virnucpro of the installation: tokenizer.json
};

// `model` is a file, a directory, a published name, or synthetic:NAME[:SEED].
// Errors: the kWeights* family, kPickleForbidden, kJson; see weights/README in docs for formats.
Esm2Weights load_esm2(const std::string& model, const ModelLookup& lookup);
DnabertWeights load_dnabert_s(const std::string& model, const ModelLookup& lookup);
// `model` is a file or synthetic[:SEED]; a synthetic one is made `inputs` wide.
ClassifierWeights load_classifier(const std::string& model, std::uint32_t inputs,
                                  const ModelLookup& lookup);

}  // namespace virnucpro
