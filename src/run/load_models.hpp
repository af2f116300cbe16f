#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.hpp"
#include "engine/engine.hpp"
#include "run/settings.hpp"
#include "tokens/dna_tokenizer.hpp"

namespace virnucpro {

// The models of a run, loaded into an engine, with a description for its journal and files.
struct LoadedModels {
  std::unique_ptr<Engine> engine;
  std::optional<DnaTokenizer> tokenizer;  // if DNABERT-S is one of the models
  std::filesystem::path tokenizer_file;
  std::uint32_t dnabert_s_vocabulary = 0;          // number of tokens that DNABERT-S knows
  std::map<std::string, std::string> description;  // "esm2" → its origin, "esm2_hash" → …
  bool synthetic = false;
  Esm2Shape esm2_shape{};  // if ESM-2 is one of the models
};

inline constexpr std::string_view kInt8Simulated = "int8-simulated";  // int8 on the CPU
// Returns the precision as --precision names it.
std::string precision_name(Precision precision, bool on_gpu);
std::string precision_name(const ComputeSettings& compute);

// Returns the first GPU, which load_models() uses; empty for the CPU.
std::optional<int> gpu_of(const ComputeSettings& compute);

// Opens the files that `outputs` needs, but reads no tensor yet. Errors: the kWeights* family.
EngineModels open_models(const ModelSettings& models, const EngineOutputs& outputs);

EngineSettings engine_settings(const ComputeSettings& compute, const EngineOutputs& outputs);

// Loads the models that the settings' outputs need. Errors: the kWeights* family, kTokenizer, kCpu;
// kWeightsTensor if the models do not fit together; those of require_memory().
LoadedModels load_models(const ModelSettings& models, EngineSettings settings,
                         const Cancel& cancel);

}  // namespace virnucpro
