#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "ops/context_cuda.hpp"
#include "tensor/device_advice.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// These functions compute the GPU memory of models and batches from the models' shapes alone. For
// activations, the models' own code allocates from an arena that only counts bytes, so the number
// is exact. A model that no output needs takes no memory.

struct ModelShapes {
  DnabertShape dnabert_s;
  Esm2Shape esm2;
  ClassifierShape classifier;
};

inline constexpr std::size_t kBatchesAtOnce = 2;  // one is computed, the next is copied

// Allocates a batch's activations from the context's arena, one model after the other. Afterwards
// the arena's most() is the memory that such a batch needs, in bytes.
void allocate_activations(cuda::Context& context, const ModelShapes& shapes,
                          const EngineOutputs& outputs, std::size_t esm_tokens,
                          std::size_t dna_tokens, std::size_t frames);

// Returns the most frames that a batch of this many tokens can have.
std::size_t most_frames(std::size_t tokens);
// Returns the bytes of a batch's input, for this many tokens of each model.
std::size_t input_bytes(std::size_t tokens);
// Returns the bytes of a batch's results. `width` is the number of embedding columns.
std::size_t result_bytes(std::size_t frames, std::size_t width);

// Returns the bytes for weights, and for batches of this many tokens of each model. Counts the few
// fp32 weights, such as biases, as if they had the size of the other weights.
MemoryNeed memory_need(const ModelShapes& shapes, const EngineOutputs& outputs, Precision precision,
                       std::size_t tokens);
// Returns the memory needs in fp16 with each published ESM-2 that is smaller than the run's, the
// largest model first.
std::vector<MemoryNeed> needs_with_smaller_esm2(const ModelShapes& shapes,
                                                const EngineOutputs& outputs, std::size_t tokens);

}  // namespace virnucpro
