#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace virnucpro {

// Token ids of packed sequences: sequence i is tokens [offsets[i], offsets[i + 1]).
template <typename Token>
struct TokenBatch {
  std::span<const Token> tokens;
  std::span<const std::uint32_t> offsets;

  std::size_t sequences() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

inline std::size_t longest_sequence(std::span<const std::uint32_t> offsets) {
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    longest = std::max(longest, offsets[i + 1] - offsets[i]);
  }
  return longest;
}

// Selects the rows of a sequence for its mean: skips the first and last `skipped` rows, then uses
// at most `most` of the others, from the front.
struct PooledRows {
  std::uint32_t skipped = 0;
  std::uint32_t most = UINT32_MAX;
};

}  // namespace virnucpro
