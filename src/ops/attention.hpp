#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/context.hpp"
#include "ops/panels.hpp"

namespace virnucpro {

// Self-attention over packed sequences: sequence i is rows [offsets[i], offsets[i + 1]). qkv:
// [rows, 3·heads·head_width], queries, keys and values side by side, each head after head; out:
// [rows, heads·head_width]. Queries are scaled by 1/√head_width. No sequence sees another, and
// nothing is computed for padding. A sequence's bits depend on that sequence only: tiles are
// counted from its own first row, and softmax is fp32.

// Returns inv_freq of the rotary embedding below: 10000^(−2i/head_width), i < head_width / 2.
std::vector<float> rotary_frequencies(std::size_t head_width);

// Cosines and sines of position · inv_freq, [positions, head_width / 2], for rotary position
// embedding (Su et al. 2021, arXiv:2104.09864).
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

// Attends with queries and keys rotated (rotate-half). `rotary` must cover the longest sequence.
void rotary_attention(OpContext& context, std::size_t heads, const RotaryTable& rotary,
                      std::span<const std::uint32_t> offsets, const Panels& qkv, Panels& out);

// Attends with −slopes[head]·|i − j| added to score (i, j) (ALiBi: Press et al., arXiv:2108.12409).
void alibi_attention(OpContext& context, std::span<const float> slopes,
                     std::span<const std::uint32_t> offsets, const Panels& qkv, Panels& out);

// Returns ALiBi's slopes for n heads: 2^(−8k/n), k = 1 … n, if n is a power of two. Otherwise they
// are the slopes of the next lower power p, then every second slope of 2p.
std::vector<float> alibi_slopes(std::size_t heads);

}  // namespace virnucpro
