#include "engine/batch_memory_cuda.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "models/classifier.hpp"
#include "models/dnabert_s.hpp"
#include "models/esm2.hpp"
#include "ops/backend_cuda.hpp"
#include "ops/backend_int8_cuda.hpp"
#include "weights/recognise.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kFewestTokens = 3;  // the shortest frame: <cls>, one residue, <eos>

std::uint64_t weight_bytes(const ModelShapes& shapes, const EngineOutputs& outputs,
                           Precision precision) {
  std::uint64_t numbers = 0;
  if (outputs.needs_dnabert_s()) numbers += numbers_of(shapes.dnabert_s);
  if (outputs.scores) numbers += numbers_of(shapes.classifier);
  const std::uint64_t bytes = numbers * size_of(cuda::element_of(precision));
  if (!outputs.needs_esm2()) return bytes;
  return bytes + numbers_of(shapes.esm2) * row_of(precision).weight_bytes;
}

std::uint64_t batch_bytes(const ModelShapes& shapes, const EngineOutputs& outputs,
                          Precision precision, std::size_t tokens) {
  const Cancel never;
  cuda::Context counting{.cancel = never, .precision = precision};
  allocate_activations(counting, shapes, outputs, tokens, tokens, tokens);
  std::size_t width = 0;
  if (outputs.needs_dnabert_s()) width += shapes.dnabert_s.width;
  if (outputs.needs_esm2()) width += shapes.esm2.width;
  const std::size_t staged =
      std::bit_ceil(input_bytes(tokens)) + std::bit_ceil(result_bytes(most_frames(tokens), width));
  return counting.arena.most() + kBatchesAtOnce * staged;
}

ModelShapes with_esm2(ModelShapes shapes, const Esm2Shape& esm2) {
  shapes.classifier.inputs = shapes.dnabert_s.width + esm2.width;
  shapes.esm2 = esm2;
  return shapes;
}

}  // namespace

void allocate_activations(cuda::Context& context, const ModelShapes& shapes,
                          const EngineOutputs& outputs, std::size_t esm_tokens,
                          std::size_t dna_tokens, std::size_t frames) {
  using cuda::Backend;
  if (outputs.needs_esm2()) {
    if (context.precision == Precision::kInt8) {
      static_cast<void>(
          Esm2Model<cuda::Int8Backend>::activations(context, shapes.esm2, esm_tokens));
    } else {
      static_cast<void>(Esm2Model<Backend>::activations(context, shapes.esm2, esm_tokens));
    }
  }
  context.arena.rewind(0);
  if (outputs.needs_dnabert_s()) {
    static_cast<void>(DnabertSModel<Backend>::activations(context, shapes.dnabert_s, dna_tokens));
  }
  context.arena.rewind(0);
  if (outputs.scores) {
    static_cast<void>(ClassifierModel<Backend>::activations(context, shapes.classifier, frames));
  }
  context.arena.rewind(0);
}

std::size_t most_frames(std::size_t tokens) {
  return tokens / kFewestTokens;
}

std::size_t input_bytes(std::size_t tokens) {
  constexpr std::size_t kOfAFrame =
      2 * (sizeof(std::uint32_t) + sizeof(cuda::AttentionItem));  // both models' offsets and items
  return tokens * (sizeof(std::uint8_t) + sizeof(std::uint16_t)) +
         (most_frames(tokens) + 1) * kOfAFrame;
}

std::size_t result_bytes(std::size_t frames, std::size_t width) {
  return frames * ((2 + width) * sizeof(float) + 1);
}

MemoryNeed memory_need(const ModelShapes& shapes, const EngineOutputs& outputs, Precision precision,
                       std::size_t tokens) {
  return {.weights = weight_bytes(shapes, outputs, precision),
          .batches = batch_bytes(shapes, outputs, precision, tokens)};
}

std::vector<MemoryNeed> needs_with_smaller_esm2(const ModelShapes& shapes,
                                                const EngineOutputs& outputs, std::size_t tokens) {
  std::vector<MemoryNeed> needs;
  if (!outputs.needs_esm2()) return needs;
  for (const SyntheticShape& sizes : synthetic_esm2_shapes()) {
    const Esm2Shape esm2 = esm2_shape(sizes);
    if (!is_published_esm2(sizes) || numbers_of(esm2) >= numbers_of(shapes.esm2)) continue;
    needs.push_back(memory_need(with_esm2(shapes, esm2), outputs, Precision::kFp16, tokens));
    needs.back().esm2 = sizes.name;
  }
  std::ranges::sort(needs, std::greater<>(), &MemoryNeed::weights);
  return needs;
}

}  // namespace virnucpro
