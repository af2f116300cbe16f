#pragma once

#include <cstddef>

#include "engine/engine.hpp"

namespace virnucpro {

// Tokens of a batch on the CPU, unless the user chose: as many as a few seconds compute, because a
// killed run loses the batch that was being computed. Whole panels (ops/panels.hpp), at least one
// and at most 4,096 tokens. It depends on the models' sizes and the threads alone, so that equal
// runs have equal batches.
std::size_t cpu_token_budget(const EngineModels& models, const EngineSettings& settings);

}  // namespace virnucpro
