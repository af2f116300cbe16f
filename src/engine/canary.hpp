#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/messages.hpp"

namespace virnucpro {

// A fixed batch of a few frames. Its answer shows that a worker computes as the others do, and as
// it did at the start. `vocabulary`: the number of DNABERT-S's tokens, 0 if it is not computed.
BatchRequest canary_batch(std::uint32_t vocabulary);

// Returns the batch's tokens of the model that has more of them.
std::size_t canary_tokens();

// True if two answers are the same, bit for bit.
bool same_answer(const BatchResult& one, const BatchResult& other);

}  // namespace virnucpro
