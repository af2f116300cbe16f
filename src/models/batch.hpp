#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ops/token_batch.hpp"

namespace virnucpro {

// The rules that check_batch() checks: offsets start at 0, rise, and end at the number of tokens;
// tokens are below `vocabulary`; each sequence has at least `shortest` tokens; `out` has `width`
// numbers for each sequence. Errors: kInternal, because only a bug of the caller breaks a rule.
struct BatchRules {
  std::string model;
  std::size_t vocabulary;
  std::size_t shortest;
  std::size_t width;
};

void check_batch(const TokenBatch<std::uint8_t>& batch, const BatchRules& rules, std::size_t out);
void check_batch(const TokenBatch<std::uint16_t>& batch, const BatchRules& rules, std::size_t out);

}  // namespace virnucpro
