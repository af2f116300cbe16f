#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace virnucpro {

// Sequences back to back must be whole and within the model's vocabulary before any of them is
// looked up: offsets start at 0, rise, end at the number of tokens; each sequence has at least
// `shortest` tokens; `out` holds `width` numbers a sequence. What breaks this is a bug of the
// caller: kInternal, naming model and sequence.
template <typename Token>
struct TokenBatch {
  std::span<const Token> tokens;
  std::span<const std::uint32_t> offsets;

  std::size_t sequences() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

struct BatchRules {
  std::string model;
  std::size_t vocabulary;
  std::size_t shortest;
  std::size_t width;
};

void check_batch(const TokenBatch<std::uint8_t>& batch, const BatchRules& rules, std::size_t out);
void check_batch(const TokenBatch<std::uint16_t>& batch, const BatchRules& rules, std::size_t out);

std::size_t longest_sequence(std::span<const std::uint32_t> offsets);

}  // namespace virnucpro
