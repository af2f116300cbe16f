#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace virnucpro::cuda {

// Query rows that one block of threads works on; also the most rows of keys and values that lie in
// shared memory at once.
inline constexpr std::uint32_t kAttentionRows = 256;

// One block's work: query rows [first, first + kAttentionRows) of a sequence, counted from its own
// first row.
struct AttentionItem {
  std::uint32_t begin = 0;   // the sequence's first row in the batch
  std::uint32_t length = 0;  // its rows
  std::uint32_t first = 0;
};

// The work on packed sequences (offsets as in ops/attention.hpp).
std::vector<AttentionItem> attention_items(std::span<const std::uint32_t> offsets);

// Attention over packed sequences as ops/attention.hpp describes it, in one kernel without scores
// in device memory (Dao 2023, arXiv:2307.08691): keys come in blocks of 64 from the sequence's own
// start, sums are fp32. qkv and out are of one element type; softmax's weights are rounded to it.
struct AttentionCall {
  DeviceMatrix qkv;                      // [tokens, 3·heads·head_width]
  DeviceMatrix out;                      // [tokens, heads·head_width]
  const AttentionItem* items = nullptr;  // the device's
  std::size_t item_count = 0;
  std::uint32_t longest = 0;  // rows of a sequence
  std::uint32_t heads = 0;
  std::uint32_t head_width = 0;  // a multiple of 8, at most 128
  // Rotary embedding: cosines and sines, [positions, head_width / 2] each; null for ALiBi.
  const float* cosines = nullptr;
  const float* sines = nullptr;
  // ALiBi: [heads]; null for rotary embedding.
  const float* slopes = nullptr;
};
void attention(const AttentionCall& call, cudaStream_t stream);  // Errors: kDevice, kInternal.

}  // namespace virnucpro::cuda
