#pragma once

#include <filesystem>
#include <string>

#include "weights/weights.hpp"

namespace virnucpro {

// The folders in which named models are looked for.
struct ModelLookup {
  std::filesystem::path models_dir;  // --models-dir or VIRNUCPRO_MODELS; may be empty
  std::filesystem::path share_dir;   // the installation's share/virnucpro: tokenizer.json
};

// Opens a model: a file, a directory, a published name, or synthetic:NAME[-VARIANT][:SEED].
// Formats: a Hugging Face directory (config.json and *.safetensors or *.bin, sharded or not), one
// safetensors file, or one ZIP of torch.save (fair-esm's .pt, a state dict, a pickled classifier);
// fp32, fp16 or bf16. A file without settings uses the config.json beside it. Everything but the
// values is checked here. Errors: the kWeights* family, kPickleForbidden, kPickleTooLarge, kJson.
Esm2Weights load_esm2(const std::string& model, const ModelLookup& lookup);
DnabertWeights load_dnabert_s(const std::string& model, const ModelLookup& lookup);
// `model` is a file or synthetic[:SEED]; a synthetic one takes `inputs` values.
ClassifierWeights load_classifier(const std::string& model, std::uint32_t inputs,
                                  const ModelLookup& lookup);

}  // namespace virnucpro
