#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/messages.hpp"

namespace virnucpro {

// Returns a constant batch of four frames. Its result shows if a worker computes as before and like
// other workers. `vocabulary` is DNABERT-S's number of tokens, or 0 without DNABERT-S.
BatchRequest canary_batch(std::uint32_t vocabulary);

// Returns how many ESM-2 tokens the canary batch has. It has fewer DNABERT-S tokens.
std::size_t canary_tokens();

// True if the numbers of two results are the same, bit for bit.
bool same_answer(const BatchResult& one, const BatchResult& other);

}  // namespace virnucpro
