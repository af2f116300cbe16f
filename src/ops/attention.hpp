#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/context.hpp"
#include "ops/panels.hpp"

namespace virnucpro {

// Self-attention over packed sequences: sequence i is rows [offsets[i], offsets[i + 1]). `qkv` is
// [rows, 3·heads·head_width]: queries, keys and values side by side, each split into heads. `out`
// is [rows, heads·head_width]. Queries are scaled by 1/√head_width; softmax is fp32. A sequence
// attends only to its own rows; there is no padding. The bits of a sequence's results depend on no
// other sequence, because tiles of rows start at the sequence's first row.

// Returns the inv_freq of rotary embedding: 10000^(−2i/head_width) for i < head_width / 2.
std::vector<float> rotary_frequencies(std::size_t head_width);

// The cosines and sines of position · inv_freq, each [positions, head_width / 2], row-major, for
// rotary position embedding (Su et al. 2021, arXiv:2104.09864).
class RotaryTable {
 public:
  RotaryTable(std::span<const float> inv_freq, std::size_t positions);

  std::size_t half() const { return half_; }
  const float* cosines(std::size_t position) const { return cosines_.data() + position * half_; }
  const float* sines(std::size_t position) const { return sines_.data() + position * half_; }

 private:
  std::size_t half_;
  std::vector<float> cosines_;
  std::vector<float> sines_;
};

// Computes attention with rotated queries and keys. `rotary` must cover the longest sequence.
void rotary_attention(OpContext& context, std::size_t heads, const RotaryTable& rotary,
                      std::span<const std::uint32_t> offsets, const Panels& qkv, Panels& out);

// Computes attention with −slopes[head]·|i − j| added to score (i, j) (ALiBi, arXiv:2108.12409).
void alibi_attention(OpContext& context, std::span<const float> slopes,
                     std::span<const std::uint32_t> offsets, const Panels& qkv, Panels& out);

// Returns ALiBi's slopes for n heads. If n is a power of two: 2^(−8k/n), k = 1 … n. Otherwise, p is
// the largest power of two below n: first come the slopes for p heads, then those for 2p heads with
// k = 1, 3, 5 …
std::vector<float> alibi_slopes(std::size_t heads);

}  // namespace virnucpro
