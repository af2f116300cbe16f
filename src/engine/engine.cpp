#include "engine/engine.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace virnucpro {
namespace {

void check_widths(const EngineModels& models) {
  const std::uint32_t dna = models.dnabert_s.shape.width;
  const std::uint32_t protein = models.esm2.shape.width;
  const std::uint32_t inputs = models.classifier.shape.inputs;
  if (inputs == dna + protein) return;
  throw Error(ErrorKind::kWeightsTensor,
              Place{.file = models.classifier.tensors->origin(), .tensor = "hidden_layer.weight"},
              fmt::format("the classifier has {} inputs, but DNABERT-S has {} outputs and ESM-2 "
                          "has {}: choose another classifier (-m or -p) or --esm-model",
                          inputs, dna, protein));
}

std::unique_ptr<Engine> make(const EngineModels& models, const EngineSettings& settings,
                             const Int8Policy* searched, const Cancel& cancel) {
  if (settings.outputs.scores) check_widths(models);
  return settings.gpu ? make_cuda_engine(models, settings, searched, cancel)
                      : make_cpu_engine(models, settings, searched, cancel);
}

}  // namespace

std::unique_ptr<Engine> make_engine(const EngineModels& models, const EngineSettings& settings,
                                    const Cancel& cancel) {
  return make(models, settings, nullptr, cancel);
}

std::unique_ptr<Engine> make_search_engine(const EngineModels& models,
                                           const EngineSettings& settings, const Int8Policy& policy,
                                           const Cancel& cancel) {
  return make(models, settings, &policy, cancel);
}

}  // namespace virnucpro
