#pragma once

#include <array>
#include <filesystem>

#include "weights/load.hpp"

namespace virnucpro {

// The files of a model's directory.
inline constexpr std::array kModelFiles{"config.json", "tokenizer.json", "model.safetensors"};

// Writes weights in the published layouts, so that other programs can read the same numbers: for
// the two models a Hugging Face directory (config.json, model.safetensors in fp32, and DNABERT-S's
// tokenizer.json), for a classifier one safetensors file. They appear together. Makes `directory`
// if it is missing. Values are streamed: memory is that of the largest tensor. Errors:
// kOutputWrite, and those of reading the weights.
void export_esm2(const Esm2Weights& weights, const std::filesystem::path& directory);
void export_dnabert_s(const DnabertWeights& weights, const std::filesystem::path& directory);
void export_classifier(const ClassifierWeights& weights, const std::filesystem::path& file);

}  // namespace virnucpro
