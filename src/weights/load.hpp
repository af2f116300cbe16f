#pragma once

#include <filesystem>
#include <string>

#include "weights/weights.hpp"

namespace virnucpro {

// The folders where a named model is looked for.
struct ModelLookup {
  std::filesystem::path models_dir;  // --models-dir or VIRNUCPRO_MODELS; may be empty
  std::filesystem::path share_dir;   // the installation's share/virnucpro: tokenizer.json
};

// Opens a model: a file, a directory, a published name, or synthetic:NAME[-VARIANT][:SEED]. It
// reads a Hugging Face directory (config.json and *.safetensors or *.bin, sharded or not), one
// safetensors file, or one ZIP of torch.save (fair-esm's .pt, a state dict, a pickled classifier),
// in fp32, fp16 or bf16. A file without settings uses the config.json beside it. All is checked now
// except the values. Errors: the kWeights* family, kPickleForbidden, kPickleTooLarge, kJson.
Esm2Weights load_esm2(const std::string& model, const ModelLookup& lookup);
DnabertWeights load_dnabert_s(const std::string& model, const ModelLookup& lookup);
// Opens a classifier for `inputs` inputs: a file, or synthetic[:SEED].
ClassifierWeights load_classifier(const std::string& model, std::uint32_t inputs,
                                  const ModelLookup& lookup);

}  // namespace virnucpro
