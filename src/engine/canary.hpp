#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/messages.hpp"

namespace virnucpro {

// A fixed batch of a few frames, by whose answer a worker shows that it computes as the others do,
// and still as it did at the start. `vocabulary`: tokens that DNABERT-S knows, 0 where it is not
// computed.
BatchRequest canary_batch(std::uint32_t vocabulary);

// Its tokens, of the model that has more of them.
std::size_t canary_tokens();

// Whether two answers are the same, bit for bit.
bool same_answer(const BatchResult& one, const BatchResult& other);

}  // namespace virnucpro
