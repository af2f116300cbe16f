#include "engine/cpu_budget.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "ops/panels.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMostTokens = 4096;
// Multiply-adds of a batch for each thread: about 2 s on an AVX-512 core, 4 s on an AVX2 core.
constexpr std::uint64_t kMultiplyAdds = 100'000'000'000U;

// Returns the number of weights in ESM-2's matrix products. A token needs one multiply-add for each
// of these weights; attention needs few more if frames are short.
std::uint64_t of_esm2(const Esm2Shape& shape) {
  const std::uint64_t width = shape.width;
  return shape.layers * (4 * width * width + 2 * width * shape.ffn);
}
std::uint64_t of_dnabert_s(const DnabertShape& shape) {
  const std::uint64_t width = shape.width;
  return shape.layers * (4 * width * width + 3 * width * shape.ffn);
}

std::uint64_t bytes_of_esm2(const EngineModels& models, const EngineSettings& settings,
                            Precision precision) {
  if (!settings.outputs.needs_esm2()) return 0;
  return of_esm2(models.esm2.shape) * row_of(precision).weight_bytes;
}
std::uint64_t bytes_of_dnabert_s(const EngineModels& models, const EngineSettings& settings,
                                 Precision precision) {
  if (!settings.outputs.needs_dnabert_s()) return 0;
  return of_dnabert_s(models.dnabert_s.shape) * row_of(beside_esm2(precision, false)).weight_bytes;
}

// Returns the bytes of weights in all precisions, which may share a copy of DNABERT-S.
std::uint64_t bytes_of_weights(const EngineModels& models, const EngineSettings& settings) {
  std::uint64_t bytes = 0;
  std::set<Precision> of_dnabert_s;
  for (const Precision precision : settings.precisions) {
    bytes += bytes_of_esm2(models, settings, precision);
    const bool is_new = of_dnabert_s.insert(beside_esm2(precision, false)).second;
    if (is_new) bytes += bytes_of_dnabert_s(models, settings, precision);
  }
  return bytes;
}

// Returns the number of floats that one token needs while a model is computed.
std::uint64_t activations_of(std::uint64_t width, std::uint64_t ffn) {
  constexpr std::uint64_t kOfItsWidth = 5;  // residual; query, key, value; attention's output
  return kOfItsWidth * width + ffn;
}

}  // namespace

CpuMemoryNeed cpu_memory_need(const EngineModels& models, const EngineSettings& settings) {
  const EngineOutputs& outputs = settings.outputs;
  CpuMemoryNeed need{.weights = bytes_of_weights(models, settings)};
  std::uint64_t numbers = 0;  // of the larger model: one model is computed at a time
  if (outputs.needs_esm2()) {
    numbers = activations_of(models.esm2.shape.width, models.esm2.shape.ffn);
  }
  if (outputs.needs_dnabert_s()) {
    const DnabertShape& shape = models.dnabert_s.shape;
    numbers = std::max(numbers, activations_of(shape.width, shape.ffn));
  }
  const std::uint64_t tokens =
      settings.token_budget > 0 ? settings.token_budget : cpu_token_budget(models, settings);
  need.batch = tokens * numbers * sizeof(float);
  return need;
}

std::size_t cpu_token_budget(const EngineModels& models, const EngineSettings& settings) {
  const EngineOutputs& outputs = settings.outputs;
  std::uint64_t a_token = 1;
  if (outputs.needs_esm2()) a_token += of_esm2(models.esm2.shape);
  if (outputs.needs_dnabert_s()) a_token += of_dnabert_s(models.dnabert_s.shape);
  const std::uint64_t tokens = settings.threads * kMultiplyAdds / a_token;
  const std::uint64_t panels = std::max<std::uint64_t>(tokens / kPanelRows, 1);
  return static_cast<std::size_t>(std::min(panels * kPanelRows, kMostTokens));
}

}  // namespace virnucpro
