#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

namespace virnucpro {

// Returns the number of tokens in a CPU batch if the user does not choose it. Such a batch takes
// only a few seconds, because a killed run loses the batch in progress. The number is a multiple of
// kPanelRows (ops/panels.hpp), but at most 4,096. It depends only on the models' sizes and the
// number of threads, so that equal runs have equal batches.
std::size_t cpu_token_budget(const EngineModels& models, const EngineSettings& settings);

// A lower bound of the bytes that a process needs to compute these models on the CPU, known before
// the models are loaded. Models are refused only if even this bound does not fit.
struct CpuMemoryNeed {
  std::uint64_t weights = 0;
  std::uint64_t batch = 0;  // activations of a batch as large as the token budget

  std::uint64_t all() const { return weights + batch; }
};
CpuMemoryNeed cpu_memory_need(const EngineModels& models, const EngineSettings& settings);

}  // namespace virnucpro
