#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

namespace virnucpro {

// Returns the tokens of a batch on the CPU, unless the user chose: as many as take a few seconds,
// because a killed run loses the batch in progress. They are whole panels (ops/panels.hpp), at
// least one and at most 4,096 tokens. Only the models' sizes and the threads count, so that equal
// runs have equal batches.
std::size_t cpu_token_budget(const EngineModels& models, const EngineSettings& settings);

// A lower bound of the bytes that a process needs to compute these models on the CPU, so that
// models are refused only if they certainly do not fit. It is known before anything is loaded.
struct CpuMemoryNeed {
  std::uint64_t weights = 0;
  std::uint64_t batch = 0;  // for a batch of the token budget

  std::uint64_t all() const { return weights + batch; }
};
CpuMemoryNeed cpu_memory_need(const EngineModels& models, const EngineSettings& settings);

}  // namespace virnucpro
