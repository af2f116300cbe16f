#include "engine/cpu_budget.hpp"

#include <algorithm>
#include <cstdint>

#include "ops/panels.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMostTokens = 4096;
// Of a batch, for each thread: two seconds of an AVX-512 core, four of an AVX2 one.
constexpr std::uint64_t kMultiplyAdds = 100'000'000'000U;

// Multiply-adds a token of the matrix products; attention adds little for short frames.
std::uint64_t of_esm2(const Esm2Shape& shape) {
  const std::uint64_t width = shape.width;
  return shape.layers * (4 * width * width + 2 * width * shape.ffn);
}
std::uint64_t of_dnabert_s(const DnabertShape& shape) {
  const std::uint64_t width = shape.width;
  return shape.layers * (4 * width * width + 3 * width * shape.ffn);
}

}  // namespace

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
