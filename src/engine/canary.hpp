#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/messages.hpp"

namespace virnucpro {

// Returns a fixed batch of a few frames. Its answer shows that a worker computes like the others,
// and like before. `vocabulary` is the number of DNABERT-S's tokens, 0 if it is not computed.
BatchRequest canary_batch(std::uint32_t vocabulary);

// Returns the larger of the batch's two numbers of tokens, one for each model.
std::size_t canary_tokens();

// True if two answers are the same, bit for bit.
bool same_answer(const BatchResult& one, const BatchResult& other);

}  // namespace virnucpro
