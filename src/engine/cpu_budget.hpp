#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"

namespace virnucpro {

// Tokens of a batch on the CPU, unless the user chose: as many as a few seconds compute, because a
// killed run loses the batch that was being computed. Whole panels (ops/panels.hpp), at least one
// and at most 4,096 tokens. It depends on the models' sizes and the threads alone, so that equal
// runs have equal batches.
std::size_t cpu_token_budget(const EngineModels& models, const EngineSettings& settings);

// Bytes that these models take of a process that computes on the CPU: no less, and some more. It is
// known before anything is loaded.
struct CpuMemoryNeed {
  std::uint64_t weights = 0;
  std::uint64_t batch = 0;  // of the token budget

  std::uint64_t all() const { return weights + batch; }
};
CpuMemoryNeed cpu_memory_need(const EngineModels& models, const EngineSettings& settings);

}  // namespace virnucpro
