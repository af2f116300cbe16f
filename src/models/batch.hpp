#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ops/token_batch.hpp"

namespace virnucpro {

// Sequences back to back must be whole and within the model's vocabulary before any of them is
// looked up: offsets start at 0, rise, end at the number of tokens; each sequence has at least
// `shortest` tokens; `out` holds `width` numbers a sequence. What breaks this is a bug of the
// caller: kInternal, naming model and sequence.
struct BatchRules {
  std::string model;
  std::size_t vocabulary;
  std::size_t shortest;
  std::size_t width;
};

void check_batch(const TokenBatch<std::uint8_t>& batch, const BatchRules& rules, std::size_t out);
void check_batch(const TokenBatch<std::uint16_t>& batch, const BatchRules& rules, std::size_t out);

}  // namespace virnucpro
