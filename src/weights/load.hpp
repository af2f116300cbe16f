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
// Formats: a Hugging Face directory (config.json and *.safetensors or *.bin, sharded or not), one
// safetensors file or one ZIP of torch.save (fair-esm's .pt, a state dict, a pickled classifier);
// fp32, fp16 or bf16. A file without settings of its own takes those of a config.json beside it.
// Errors: the kWeights* family, kPickleForbidden, kJson; all but the values are checked here.
Esm2Weights load_esm2(const std::string& model, const ModelLookup& lookup);
DnabertWeights load_dnabert_s(const std::string& model, const ModelLookup& lookup);
// `model` is a file or synthetic[:SEED]; a synthetic one is made `inputs` wide.
ClassifierWeights load_classifier(const std::string& model, std::uint32_t inputs,
                                  const ModelLookup& lookup);

}  // namespace virnucpro
