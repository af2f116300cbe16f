#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace virnucpro::cuda {

// Four numbers that are loaded or stored at once.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
  T at[4];
};

// Returns the larger number, or NaN if either is NaN.
__device__ __forceinline__ float max_or_nan(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

template <typename T>
__device__ __forceinline__ float to_float(T value) {
  return static_cast<float>(value);
}

template <typename T>
__device__ __forceinline__ T from_float(float value);
template <>
__device__ __forceinline__ float from_float<float>(float value) {
  return value;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

template <typename T>
__device__ __forceinline__ Four<T> load_four(const T* from) {
  return *reinterpret_cast<const Four<T>*>(from);
}

template <typename T>
__device__ __forceinline__ Four<T> converted(const Four<float>& values) {
  Four<T> result;
  for (int n = 0; n < 4; ++n) result.at[n] = from_float<T>(values.at[n]);
  return result;
}

template <typename T>
__device__ __forceinline__ void store_four(T* to, const Four<T>& values) {
  *reinterpret_cast<Four<T>*>(to) = values;
}

}  // namespace virnucpro::cuda
