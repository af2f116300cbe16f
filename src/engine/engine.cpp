#include "engine/engine.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "engine/engine_device.hpp"

namespace virnucpro {
namespace {

void check_widths(const EngineModels& models) {
  const std::uint32_t dna = models.dnabert_s.shape.width;
  const std::uint32_t protein = models.esm2.shape.width;
  const std::uint32_t inputs = models.classifier.shape.inputs;
  if (inputs == dna + protein) return;
  throw Error(ErrorKind::kWeightsTensor,
              Place{.file = models.classifier.tensors->origin(), .tensor = "hidden_layer.weight"},
              fmt::format("it takes {} numbers, but DNABERT-S gives {} and ESM-2 {}", inputs, dna,
                          protein));
}

}  // namespace

Engine::Engine(const EngineModels& models, const EngineSettings& settings, const Cancel& cancel) {
  if (settings.outputs.scores) check_widths(models);
  device_ = settings.gpu ? make_cuda_engine(models, settings, cancel)
                         : make_cpu_engine(models, settings, cancel);
}

Engine::Engine(std::unique_ptr<EngineDevice> device) : device_(std::move(device)) {}

Engine::~Engine() = default;

std::string Engine::kernel_path() const {
  return device_->kernel_path();
}

std::uint32_t Engine::dnabert_s_width() const {
  return device_->dnabert_s_width();
}

std::uint32_t Engine::esm2_width() const {
  return device_->esm2_width();
}

std::size_t Engine::token_budget() const {
  return device_->token_budget();
}

std::size_t Engine::depth() const {
  return device_->depth();
}

void Engine::begin(const BatchRequest& request) {
  device_->begin(request);
}

BatchResult Engine::finish() {
  return device_->finish();
}

BatchResult Engine::run(const BatchRequest& request) {
  begin(request);
  return finish();
}

}  // namespace virnucpro
