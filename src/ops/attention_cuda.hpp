#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/attention_plan.hpp"
#include "tensor/matrix.hpp"

namespace virnucpro::cuda {

inline constexpr std::uint32_t kWidestHead = 128;

// The work of one thread block: query rows [first, last), counted from the sequence's first row.
struct AttentionItem {
  std::uint32_t begin = 0;   // the sequence's first row in the batch
  std::uint32_t length = 0;  // rows of the sequence
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// Divides sequences into items. Sequence i is rows [offsets[i], offsets[i + 1]) of the batch.
std::vector<AttentionItem> attention_items(std::span<const std::uint32_t> offsets);

// Arguments of attention over packed sequences (ops/attention.hpp). Kernels do not store the scores
// (Dao 2023, arXiv:2307.08691). Blocks of keys have a fixed size and start at the sequence's first
// row. Sums are fp32; softmax's weights have the element type of `qkv` and `out`.
struct AttentionCall {
  DeviceMatrix qkv;                      // [tokens, 3·heads·head_width]; kernels may overwrite it
  DeviceMatrix out;                      // [tokens, heads·head_width]
  const AttentionItem* items = nullptr;  // [item_count], on the device
  std::size_t item_count = 0;
  std::uint32_t longest = 0;  // rows of the longest sequence
  std::uint32_t heads = 0;
  std::uint32_t head_width = 0;  // a multiple of 8, at most kWidestHead
  // For rotary embedding, [positions, head_width / 2] each, on the device; null for ALiBi.
  const float* cosines = nullptr;
  const float* sines = nullptr;
  // For ALiBi, [heads], on the device; null for rotary embedding.
  const float* slopes = nullptr;
};

// Enqueues the kernels of a call. The bits of a sequence's results depend only on the sequence and
// on the kernel (generic, plain or sm90). Errors: kDevice, kDeviceFailed, kInternal.
using Attention = void (*)(const AttentionCall& call, cudaStream_t stream);

// The generic kernels use mma.sync, and need compute capability 8.0 or newer.
void attention_generic_fp16(const AttentionCall& call, cudaStream_t stream);
void attention_generic_bf16(const AttentionCall& call, cudaStream_t stream);

// Uses plain fp32 arithmetic, one thread per query; needs compute capability 8.0 or newer.
void attention_plain_fp32(const AttentionCall& call, cudaStream_t stream);

// The sm90 kernels use wgmma, and need compute capability 9.0 (Hopper). For other head widths than
// 64, they call attention_generic of the same element type.
void attention_sm90_fp16(const AttentionCall& call, cudaStream_t stream);
void attention_sm90_bf16(const AttentionCall& call, cudaStream_t stream);

}  // namespace virnucpro::cuda
