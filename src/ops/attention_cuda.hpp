#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/matrix.hpp"

namespace virnucpro::cuda {

// One block computes a sequence of at most kWholeRows rows (enough for a 500-base chunk), and reads
// its keys and values once. A longer sequence is cut into blocks of kCutRows query rows.
inline constexpr std::uint32_t kWholeRows = 176;
inline constexpr std::uint32_t kCutRows = 128;

inline constexpr std::uint32_t kWidestHead = 128;

// One block's work: query rows [first, last), counted from the sequence's first row.
struct AttentionItem {
  std::uint32_t begin = 0;   // the sequence's first row in the batch
  std::uint32_t length = 0;  // rows of the sequence
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// Divides packed sequences into the blocks' work. `offsets` is that of ops/attention.hpp.
std::vector<AttentionItem> attention_items(std::span<const std::uint32_t> offsets);

// A call of attention over packed sequences (ops/attention.hpp). One kernel computes it without
// scores in device memory (Dao 2023, arXiv:2307.08691). Blocks of keys have one size and begin at
// the sequence's own start. Sums are fp32; qkv, out and softmax's weights have one element type.
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

// Use mma.sync; they need compute capability 8.0 or above.
void attention_generic_fp16(const AttentionCall& call, cudaStream_t stream);
void attention_generic_bf16(const AttentionCall& call, cudaStream_t stream);

// Uses plain arithmetic, one thread per query; it needs compute capability 8.0 or above.
void attention_plain_fp32(const AttentionCall& call, cudaStream_t stream);

// Use wgmma; they need compute capability 9.0 (Hopper). Head widths other than 64 use
// attention_generic of the same type.
void attention_sm90_fp16(const AttentionCall& call, cudaStream_t stream);
void attention_sm90_bf16(const AttentionCall& call, cudaStream_t stream);

}  // namespace virnucpro::cuda
