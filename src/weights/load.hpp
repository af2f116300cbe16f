#pragma once

#include <filesystem>
#include <string>

#include "weights/weights.hpp"

namespace virnucpro {

// The folders that are searched for a named model.
struct ModelLookup {
  std::filesystem::path models_dir;  // --models-dir or VIRNUCPRO_MODELS; may be empty
  std::filesystem::path share_dir;   // the installation's share/virnucpro, with tokenizer.json
};

// The models of a run, as the user named them.
struct ModelSettings {
  std::string dnabert_s;
  std::string esm2;
  std::string classifier;  // empty: no classifier is needed
  ModelLookup lookup;
};

// These open a model. `model` is a file, a directory, a published name, or
// synthetic:NAME[-VARIANT][:SEED]. A directory has Hugging Face's layout (config.json and
// *.safetensors or *.bin, sharded or not); a file is safetensors or a ZIP of torch.save (fair-esm's
// .pt, a state dict, a pickled classifier). Numbers are fp32, fp16 or bf16. A config.json beside a
// file adds settings that the file lacks. Values are checked later, when they are read. Errors: the
// kWeights* family, kPickleForbidden, kPickleTooLarge, kJson.
Esm2Weights load_esm2(const std::string& model, const ModelLookup& lookup);
DnabertWeights load_dnabert_s(const std::string& model, const ModelLookup& lookup);
// Opens a classifier that takes `inputs` numbers: a file, a published name, or synthetic[:SEED].
ClassifierWeights load_classifier(const std::string& model, std::uint32_t inputs,
                                  const ModelLookup& lookup);

}  // namespace virnucpro
