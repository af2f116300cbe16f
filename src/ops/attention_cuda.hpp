#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace virnucpro::cuda {

// A sequence of at most this many rows (enough for a 500-base chunk) is one block's work, which
// reads keys and values once. A longer one is cut into blocks of kCutRows query rows.
inline constexpr std::uint32_t kWholeRows = 176;
inline constexpr std::uint32_t kCutRows = 128;

inline constexpr std::uint32_t kWidestHead = 128;

// One block's work: query rows [first, last) of a sequence, counted from its own first row.
struct AttentionItem {
  std::uint32_t begin = 0;   // the sequence's first row in the batch
  std::uint32_t length = 0;  // its rows
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// Divides packed sequences into work (offsets as in ops/attention.hpp).
std::vector<AttentionItem> attention_items(std::span<const std::uint32_t> offsets);

// Attention over packed sequences as in ops/attention.hpp, in one kernel without scores in device
// memory (Dao 2023, arXiv:2307.08691). Keys are taken in blocks of one size from the sequence's own
// start; sums are fp32. qkv and out have one element type; softmax's weights are rounded to it.
struct AttentionCall {
  DeviceMatrix qkv;                      // [tokens, 3·heads·head_width]; may be overwritten
  DeviceMatrix out;                      // [tokens, heads·head_width]
  const AttentionItem* items = nullptr;  // on the device
  std::size_t item_count = 0;
  std::uint32_t longest = 0;  // rows of the longest sequence
  std::uint32_t heads = 0;
  std::uint32_t head_width = 0;  // a multiple of 8, at most kWidestHead
  // Rotary embedding: cosines and sines, [positions, head_width / 2] each; null for ALiBi.
  const float* cosines = nullptr;
  const float* sines = nullptr;
  // ALiBi: [heads]; null for rotary embedding.
  const float* slopes = nullptr;
};

// Enqueues a call. A sequence's bits depend only on that sequence and the kernel's family. Errors:
// kDevice, kInternal.
using Attention = void (*)(const AttentionCall& call, cudaStream_t stream);

// mma.sync: compute capability 8.0 and above.
void attention_generic_fp16(const AttentionCall& call, cudaStream_t stream);
void attention_generic_bf16(const AttentionCall& call, cudaStream_t stream);

// Plain arithmetic, one thread per query: compute capability 8.0 and above.
void attention_plain_fp32(const AttentionCall& call, cudaStream_t stream);

// wgmma: compute capability 9.0 only (Hopper). Head widths other than 64 use attention_generic of
// the same type.
void attention_sm90_fp16(const AttentionCall& call, cudaStream_t stream);
void attention_sm90_bf16(const AttentionCall& call, cudaStream_t stream);

}  // namespace virnucpro::cuda
