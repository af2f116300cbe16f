#pragma once

// Code that all attention kernels on GPUs share.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "ops/attention_cuda.hpp"
#include "ops/vector_cuda.cuh"
#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

inline constexpr float kLog2E = 1.44269504F;
// A value below every score. −infinity would not work, because −infinity − (−infinity) is NaN.
inline constexpr float kLowest = -1e30F;

// The part of an AttentionCall that kernels need.
struct AttentionProblem {
  void* qkv;
  void* out;
  const AttentionItem* items;
  const float* cosines;
  const float* sines;
  const float* slopes;
  std::uint32_t heads;
  std::uint32_t head_width;
  float scale;  // factor of the scores: log2(e) / √head_width, because softmax uses exp2
};

inline AttentionProblem problem_of(const AttentionCall& call) {
  return {.qkv = call.qkv.data,
          .out = call.out.data,
          .items = call.items,
          .cosines = call.cosines,
          .sines = call.sines,
          .slopes = call.slopes,
          .heads = call.heads,
          .head_width = call.head_width,
          .scale = kLog2E / std::sqrt(static_cast<float>(call.head_width))};
}

// Starts one thread block for each head and item. A launch takes at most 65,535 items, CUDA's limit
// for gridDim.y.
template <typename Launch>
void for_each_part(const AttentionCall& call, const Launch& launch) {
  constexpr std::size_t kMostItems = 65535;
  AttentionProblem problem = problem_of(call);
  for (std::size_t first = 0; first < call.item_count; first += kMostItems) {
    problem.items = call.items + first;
    launch(dim3(call.heads, static_cast<unsigned>(std::min(kMostItems, call.item_count - first))),
           problem);
    check_cuda(cudaGetLastError(), "launch of the GPU kernel for attention");
  }
}

// Calls `call_kernel` with the head width as a compile-time constant, rounded up to a width that
// kernels are compiled for.
template <typename CallKernel>
void with_width(const AttentionCall& call, const CallKernel& call_kernel) {
  if (call.head_width <= 16) return call_kernel(std::integral_constant<int, 16>{});
  if (call.head_width <= 32) return call_kernel(std::integral_constant<int, 32>{});
  if (call.head_width <= 64) return call_kernel(std::integral_constant<int, 64>{});
  if (call.head_width <= 128) return call_kernel(std::integral_constant<int, 128>{});
  throw Error(ErrorKind::kInternal,
              "no attention kernel for heads of width " + std::to_string(call.head_width));
}

// Pointers to one head of one sequence. Rows of `out` have the stride `width`, all others `stride`.
template <typename T>
struct HeadRows {
  __device__ HeadRows(const AttentionProblem& problem, const AttentionItem& item,
                      std::uint32_t head)
      : width(static_cast<std::size_t>(problem.heads) * problem.head_width),
        stride(3 * width),
        queries(static_cast<T*>(problem.qkv) + item.begin * stride + head * problem.head_width),
        keys(queries + width),
        values(keys + width),
        out(static_cast<T*>(problem.out) + item.begin * width + head * problem.head_width) {}

  std::size_t width;
  std::size_t stride;
  T* queries;
  T* keys;
  T* values;
  T* out;
};

// Returns a head's ALiBi slope times log2(e), because softmax uses exp2; 0 without ALiBi.
__device__ __forceinline__ float slope_of(const AttentionProblem& problem, std::uint32_t head) {
  return problem.slopes != nullptr ? problem.slopes[head] * kLog2E : 0.0F;
}

__device__ __forceinline__ float exp2_fast(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// These two functions reduce a value over the four lanes that hold one row of an mma's result.
__device__ __forceinline__ float quad_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xffffffffU, value, 2));
}

__device__ __forceinline__ float quad_sum(float value) {
  value += __shfl_xor_sync(0xffffffffU, value, 1);
  return value + __shfl_xor_sync(0xffffffffU, value, 2);
}

template <typename T>
__device__ __forceinline__ std::uint32_t pack_two(float low, float high) {
  const T both[2] = {from_float<T>(low), from_float<T>(high)};
  return *reinterpret_cast<const std::uint32_t*>(both);
}

// Rotates a pair of numbers for rotary embedding (arXiv:2104.09864, in its rotate-half form).
template <typename T>
__device__ __forceinline__ void turn(T& low, T& high, float cosine, float sine) {
  const float a = to_float(low);
  const float b = to_float(high);
  low = from_float<T>(a * cosine - b * sine);
  high = from_float<T>(b * cosine + a * sine);
}

}  // namespace virnucpro::cuda
