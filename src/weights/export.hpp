#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "weights/load.hpp"

namespace virnucpro {

// Writes weights in the published layouts, so that other programs can read the same numbers: a
// Hugging Face directory (config.json, model.safetensors in fp32, and DNABERT-S's tokenizer.json)
// for the two models, one safetensors file for a classifier. `directory` is made when it is not
// there. Values are streamed: memory is that of the largest tensor.
// Errors: kOutputWrite, and those of reading the weights.
void export_esm2(const Esm2Weights& weights, const std::filesystem::path& directory);
void export_dnabert_s(const DnabertWeights& weights, const std::filesystem::path& directory);
void export_classifier(const ClassifierWeights& weights, const std::filesystem::path& file);

}  // namespace virnucpro
