#pragma once

#include <array>
#include <filesystem>

#include "weights/load.hpp"

namespace virnucpro {

// The names of the files in a model's directory.
inline constexpr std::array kModelFiles{"config.json", "tokenizer.json", "model.safetensors"};

// These write weights in the published layouts, so that other programs can read the same numbers:
// for ESM-2 and DNABERT-S a Hugging Face directory (config.json, model.safetensors in fp32, and
// DNABERT-S's tokenizer.json), for a classifier one safetensors file. A missing `directory` is
// created; its files appear in it together. Tensors are written one by one, so memory is needed
// only for the largest one. Errors: kOutputWrite, and those of reading the weights.
void export_esm2(const Esm2Weights& weights, const std::filesystem::path& directory);
void export_dnabert_s(const DnabertWeights& weights, const std::filesystem::path& directory);
void export_classifier(const ClassifierWeights& weights, const std::filesystem::path& file);

}  // namespace virnucpro
