#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "ops/context_cuda.hpp"
#include "tensor/device_advice.hpp"
#include "weights/weights.hpp"

namespace virnucpro {

// Computes a GPU's memory for models and their batches from shapes alone, even if the models are
// not loaded. The models' own code runs on an arena that only counts, so that no formula can differ
// from the code. A model that no output needs takes no memory.

struct ModelShapes {
  DnabertShape dnabert_s;
  Esm2Shape esm2;
  ClassifierShape classifier;
};

inline constexpr std::size_t kBatchesAtOnce = 2;  // one computes and one waits

// Allocates a batch's activations from the context's arena, the models one after the other. The
// arena then knows the largest amount that was in use.
void allocate_activations(cuda::Context& context, const ModelShapes& shapes,
                          const EngineOutputs& outputs, std::size_t esm_tokens,
                          std::size_t dna_tokens, std::size_t frames);

// Returns the most frames that a batch of this many tokens can have.
std::size_t most_frames(std::size_t tokens);
// Returns the bytes of a batch's input, with this many tokens of either model.
std::size_t input_bytes(std::size_t tokens);
// Returns the bytes of results with embeddings of this width.
std::size_t result_bytes(std::size_t frames, std::size_t width);

// Returns the memory for weights, and for batches of this many tokens of either model. It counts
// some fp32 numbers as shorter; they are too few to matter.
MemoryNeed memory_need(const ModelShapes& shapes, const EngineOutputs& outputs, Precision precision,
                       std::size_t tokens);
// Returns the memory need in 16 bits for each smaller published ESM-2, the largest first.
std::vector<MemoryNeed> needs_with_smaller_esm2(const ModelShapes& shapes,
                                                const EngineOutputs& outputs, std::size_t tokens);

}  // namespace virnucpro
