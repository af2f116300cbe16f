#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/attention_cuda.cuh"

namespace virnucpro::cuda {
namespace {

// One thread computes one query row. Only keys and values are in shared memory.
constexpr int kPlainThreads = 128;
constexpr int kPlainKeys = 32;  // keys in shared memory at once, and per update of `maximum`

template <int kWidth>
__global__ void __launch_bounds__(kPlainThreads) plain_attention_kernel(AttentionProblem problem) {
  __shared__ float keys[kPlainKeys][kWidth];
  __shared__ float values[kPlainKeys][kWidth];
  const AttentionItem item = problem.items[blockIdx.y];
  const std::uint32_t head = blockIdx.x;
  const std::uint32_t half = problem.head_width / 2;
  const HeadRows<float> rows_of(problem, item, head);
  const float slope = slope_of(problem, head);
  // Returns one number of a query's or key's row, after the rotation.
  const auto turned = [&](const float* row, std::uint32_t position, std::uint32_t column) {
    if (column >= problem.head_width) return 0.0F;
    if (problem.cosines == nullptr) return row[column];
    const std::uint32_t pair = column < half ? column : column - half;
    const std::size_t angle = static_cast<std::size_t>(position) * half + pair;
    const float other = column < half ? -row[column + half] : row[column - half];
    return row[column] * problem.cosines[angle] + other * problem.sines[angle];
  };

  for (std::uint32_t round = item.first; round < item.last; round += kPlainThreads) {
    const std::uint32_t query = round + threadIdx.x;
    const bool active = query < item.last;
    float q[kWidth];
    float sums[kWidth];
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      q[i] = active ? turned(rows_of.queries + query * rows_of.stride, query, i) : 0.0F;
      sums[i] = 0.0F;
    }
    float maximum = kLowest;
    float weights = 0;
    for (std::uint32_t first = 0; first < item.length; first += kPlainKeys) {
      const std::uint32_t count = min(item.length - first, kPlainKeys);
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < kPlainKeys * kWidth; i += kPlainThreads) {
        const std::uint32_t row = i / kWidth;
        const std::uint32_t column = i % kWidth;
        const float* const key = rows_of.keys + (first + row) * rows_of.stride;
        const bool there = row < count && column < problem.head_width;
        keys[row][column] = there ? turned(key, first + row, column) : 0.0F;
        values[row][column] = there ? key[rows_of.width + column] : 0.0F;
      }
      __syncthreads();
      if (!active) continue;
      float scores[kPlainKeys];
      float highest = maximum;
#pragma unroll
      for (int k = 0; k < kPlainKeys; ++k) {
        float dot = 0;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) dot = fmaf(q[i], keys[k][i], dot);
        const float distance = fabsf(static_cast<float>(query) - static_cast<float>(first + k));
        const float score = dot * problem.scale - slope * distance;
        scores[k] = k < count ? score : kLowest;
        highest = fmaxf(highest, scores[k]);
      }
      const float correction = exp2f(maximum - highest);
      maximum = highest;
      weights *= correction;
#pragma unroll
      for (int i = 0; i < kWidth; ++i) sums[i] *= correction;
#pragma unroll
      for (int k = 0; k < kPlainKeys; ++k) {
        const float weight = exp2f(scores[k] - highest);
        weights += weight;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) sums[i] = fmaf(weight, values[k][i], sums[i]);
      }
    }
    if (!active) continue;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      if (i < problem.head_width) rows_of.out[query * rows_of.width + i] = sums[i] / weights;
    }
  }
}

template <int kWidth>
void launch_plain_attention(const AttentionCall& call, cudaStream_t stream) {
  for_each_part(call, [&](dim3 grid, const AttentionProblem& problem) {
    plain_attention_kernel<kWidth><<<grid, kPlainThreads, 0, stream>>>(problem);
  });
}

}  // namespace

void attention_plain_fp32(const AttentionCall& call, cudaStream_t stream) {
  with_width(call, [&](auto width) { launch_plain_attention<width()>(call, stream); });
}

}  // namespace virnucpro::cuda
