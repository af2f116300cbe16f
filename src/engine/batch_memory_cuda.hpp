#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "ops/context_cuda.hpp"
#include "tensor/device_advice.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// How much of a GPU's memory models and their batches take, from shapes alone: also of models that
// did not fit, and of others that would. A model that no output needs takes none.

struct ModelShapes {
  DnabertShape dnabert_s;
  Esm2Shape esm2;
  ClassifierShape classifier;
};

inline constexpr std::size_t kBatchesAtOnce = 2;  // one computes and one waits

// Allocates a batch's activations from the context's arena, the models one after the other; the
// arena then knows the most that was in use.
void allocate_activations(cuda::Context& context, const ModelShapes& shapes,
                          const EngineOutputs& outputs, std::size_t esm_tokens,
                          std::size_t dna_tokens, std::size_t frames);

// The most frames that a batch of this many tokens has.
std::size_t most_frames(std::size_t tokens);
// Of such a batch's input, with this many tokens of either model.
std::size_t input_bytes(std::size_t tokens);
// Of results with embeddings of this width.
std::size_t result_bytes(std::size_t frames, std::size_t width);

// The weights, and batches of this many tokens of either model. The numbers always kept in fp32 are
// too few to matter.
MemoryNeed memory_need(const ModelShapes& shapes, const EngineOutputs& outputs, Precision precision,
                       std::size_t tokens);
// The same in 16 bits with each smaller published ESM-2 in place of this one, the largest first.
std::vector<MemoryNeed> needs_with_smaller_esm2(const ModelShapes& shapes,
                                                const EngineOutputs& outputs, std::size_t tokens);

}  // namespace virnucpro
