#include "run/load_models.hpp"

#include <fmt/format.h>

#include "base/version.hpp"
#include "run/require_memory.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

void describe(LoadedModels& loaded, const std::string& name, const Weights& weights) {
  loaded.description[name] = weights.origin();
  loaded.description[name + "_hash"] = weights.hash();
  loaded.synthetic = loaded.synthetic || weights.synthetic();
}

// Loads a tokenizer. Refuses a tokenizer with more tokens than the model has embedding rows.
DnaTokenizer load_tokenizer(const DnabertWeights& weights) {
  DnaTokenizer tokenizer = DnaTokenizer::load(weights.tokenizer);
  if (tokenizer.vocabulary() > weights.shape.vocabulary) {
    throw Error(ErrorKind::kTokenizer, Place{.file = weights.tokenizer.string()},
                fmt::format("it has {} tokens, but the model has embeddings for only {}",
                            tokenizer.vocabulary(), weights.shape.vocabulary));
  }
  return tokenizer;
}

// Refuses a policy for layers that the model does not have, because it would have no effect.
void require_layers(const Int8Policy& policy, std::uint32_t layers) {
  const std::optional<std::size_t> last = policy.last_layer();
  if (!last || *last < layers) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("--int8-keep (run.int8_keep) {}: there is no layer {}; this ESM-2 has {} "
                          "layers, 0 to {}",
                          policy.text(), *last, layers, layers - 1));
}

}  // namespace

std::string precision_name(Precision precision, bool on_gpu) {
  const bool simulated = precision == Precision::kInt8 && !on_gpu;
  return std::string(simulated ? kInt8Simulated : name_of(precision));
}

std::string precision_name(const ComputeSettings& compute) {
  return precision_name(compute.precision, !compute.gpus.empty());
}

std::optional<int> gpu_of(const ComputeSettings& compute) {
  return compute.gpus.empty() ? std::nullopt : std::optional(compute.gpus.front().index);
}

EngineModels open_models(const ModelSettings& models, const EngineOutputs& outputs) {
  EngineModels opened;
  if (outputs.needs_dnabert_s()) {
    opened.dnabert_s = load_dnabert_s(models.dnabert_s, models.lookup);
  }
  if (outputs.needs_esm2()) opened.esm2 = load_esm2(models.esm2, models.lookup);
  if (outputs.scores) {
    const std::uint32_t inputs = opened.dnabert_s.shape.width + opened.esm2.shape.width;
    opened.classifier = load_classifier(models.classifier, inputs, models.lookup);
  }
  return opened;
}

EngineSettings engine_settings(const ComputeSettings& compute, const EngineOutputs& outputs) {
  EngineSettings settings{.threads = compute.threads,
                          .precisions = {compute.precision},
                          .int8_policy = compute.int8_policy,
                          .outputs = outputs,
                          .gpu = gpu_of(compute),
                          .generic_kernels = compute.generic_kernels,
                          .token_budget = compute.token_budget};
  if (compute.check_precision) settings.precisions.push_back(*compute.check_precision);
  return settings;
}

LoadedModels load_models(const ModelSettings& models, EngineSettings settings,
                         const Cancel& cancel) {
  LoadedModels loaded;
  const EngineOutputs& outputs = settings.outputs;
  const EngineModels weights = open_models(models, outputs);
  if (outputs.needs_dnabert_s()) {
    loaded.tokenizer.emplace(load_tokenizer(weights.dnabert_s));
    loaded.description[kTokenizerHashKey] = loaded.tokenizer->hash();
    loaded.tokenizer_file = weights.dnabert_s.tokenizer;
    loaded.dnabert_s_vocabulary = weights.dnabert_s.shape.vocabulary;
  }
  if (outputs.needs_esm2()) {
    require_layers(settings.int8_policy, weights.esm2.shape.layers);
    settings.int8_policy = settings.int8_policy.of_model(weights.esm2.shape.layers);
    loaded.esm2_shape = weights.esm2.shape;
  }
  require_memory(weights, settings);
  loaded.engine = make_engine(weights, settings, cancel);
  if (weights.dnabert_s.tensors) describe(loaded, "dnabert_s", *weights.dnabert_s.tensors);
  if (weights.esm2.tensors) describe(loaded, "esm2", *weights.esm2.tensors);
  if (weights.classifier.tensors) describe(loaded, "classifier", *weights.classifier.tensors);
  const Precision precision = settings.precisions[kRunModel];
  loaded.description["precision"] = precision_name(precision, settings.gpu.has_value());
  if (precision == Precision::kInt8) {
    loaded.description[kInt8KeepKey] = settings.int8_policy.text();
  }
  if (settings.precisions.size() > kCheckModel) {
    loaded.description[kCheckPrecisionKey] = name_of(settings.precisions[kCheckModel]);
  }
  loaded.description["kernel_path"] = loaded.engine->facts().kernel_path;
  loaded.description[kSyntheticKey] = loaded.synthetic ? "true" : "false";
  loaded.description["program_version"] = program_version();
  loaded.description["numerics_version"] = fmt::format("{}", kNumericsVersion);
  return loaded;
}

}  // namespace virnucpro
