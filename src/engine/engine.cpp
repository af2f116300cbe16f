#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "models/classifier.hpp"
#include "models/dnabert_s.hpp"
#include "models/esm2.hpp"
#include "ops/cpu.hpp"
#include "ops/finite.hpp"

namespace virnucpro {

struct Engine::Models {
  Models(const EngineModels& models, const EngineSettings& settings, const Cancel& cancel)
      : pool(settings.threads),
        context{.pool = pool, .cancel = cancel, .precision = settings.precision},
        outputs(settings.outputs),
        kernel_path(cpu_kernel_path(settings.precision)) {
    if (outputs.scores || outputs.dnabert_s) dnabert_s.emplace(models.dnabert_s, context);
    if (outputs.scores || outputs.esm2) esm2.emplace(models.esm2, context);
    if (!outputs.scores) return;
    classifier.emplace(models.classifier, context);
    if (classifier->inputs() != dnabert_s->width() + esm2->width()) {
      throw Error(
          ErrorKind::kWeightsTensor,
          Place{.file = models.classifier.tensors->origin(), .tensor = "hidden_layer.weight"},
          fmt::format("it takes {} numbers, but DNABERT-S gives {} and ESM-2 {}",
                      classifier->inputs(), dnabert_s->width(), esm2->width()));
    }
  }

  std::vector<float> classify(const std::vector<float>& dna, const std::vector<float>& protein,
                              std::size_t frames) {
    const std::size_t dna_width = dnabert_s->width();
    const std::size_t width = classifier->inputs();
    std::vector<float> merged(frames * width);
    for (std::size_t frame = 0; frame < frames; ++frame) {
      float* row = merged.data() + frame * width;
      std::copy_n(dna.data() + frame * dna_width, dna_width, row);
      std::copy_n(protein.data() + frame * (width - dna_width), width - dna_width, row + dna_width);
    }
    std::vector<float> scores(frames * 2);
    classifier->classify(context, merged, scores);
    return scores;
  }

  ThreadPool pool;
  OpContext context;
  EngineOutputs outputs;
  std::string kernel_path;
  std::optional<DnabertS> dnabert_s;
  std::optional<Esm2> esm2;
  std::optional<Classifier> classifier;
};

namespace {

std::span<const float> row(const std::vector<float>& values, std::size_t index,
                           std::size_t frames) {
  const std::size_t width = values.size() / frames;
  return std::span{values}.subspan(index * width, width);
}

std::vector<std::uint32_t> not_finite(const BatchResult& result, std::size_t frames) {
  std::vector<std::uint32_t> found;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    if (!all_finite(row(result.dnabert_s, frame, frames)) ||
        !all_finite(row(result.esm2, frame, frames)) ||
        !all_finite(row(result.scores, frame, frames))) {
      found.push_back(static_cast<std::uint32_t>(frame));
    }
  }
  return found;
}

}  // namespace

Engine::Engine(const EngineModels& models, const EngineSettings& settings, const Cancel& cancel)
    : models_(std::make_unique<Models>(models, settings, cancel)) {}

Engine::~Engine() = default;

std::string Engine::kernel_path() const {
  return models_->kernel_path;
}

std::uint32_t Engine::dnabert_s_width() const {
  return models_->dnabert_s ? models_->dnabert_s->width() : 0;
}

std::uint32_t Engine::esm2_width() const {
  return models_->esm2 ? models_->esm2->width() : 0;
}

BatchResult Engine::run(const BatchRequest& request) {
  const PackedFrames& packed = request.frames;
  const std::size_t frames = packed.frames();
  BatchResult result;
  result.id = request.id;
  if (frames == 0) return result;
  if (models_->esm2) {
    result.esm2.resize(frames * esm2_width());
    models_->esm2->embed(models_->context, packed.esm_tokens, packed.esm_offsets, result.esm2);
  }
  if (models_->dnabert_s) {
    result.dnabert_s.resize(frames * dnabert_s_width());
    models_->dnabert_s->embed(models_->context, packed.dna_tokens, packed.dna_offsets,
                              result.dnabert_s);
  }
  if (models_->classifier) result.scores = models_->classify(result.dnabert_s, result.esm2, frames);
  result.not_finite = not_finite(result, frames);
  if (!models_->outputs.dnabert_s) result.dnabert_s.clear();
  if (!models_->outputs.esm2) result.esm2.clear();
  return result;
}

}  // namespace virnucpro
