#pragma once

// Vectors of eight floats for the CPU kernels. Only *_cpu.cpp files include this header; they are
// always compiled for AVX2 and FMA, so that code and bits are the same on every machine.
#include <immintrin.h>

#include <cstddef>

namespace virnucpro {

inline constexpr std::size_t kLanes = 8;

// Sums the lanes in one fixed order.
inline float sum_lanes(__m256 v) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

inline float max_lanes(__m256 v) {
  __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  half = _mm_max_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

// Returns exp(x) for x ≤ 88, to 2 units in the last place; 0 for x < −87, NaN for NaN. Splits x
// into n·ln 2 + r with |r| ≤ ln 2 / 2. Computes exp(r) by a Taylor polynomial of degree 7.
inline __m256 exp_lanes(__m256 x) {
  const __m256 lowest = _mm256_set1_ps(-87.0F);
  const __m256 not_underflow = _mm256_cmp_ps(x, lowest, _CMP_NLT_UQ);
  x = _mm256_max_ps(lowest, x);  // this order of operands keeps NaN
  const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504F)),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  // Subtracts n·ln 2 in two parts. The first constant has few bits, so its product with n is exact.
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), x);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4F), r);
  __m256 p = _mm256_set1_ps(1.0F / 5040);
  for (const float c : {1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) {
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c));
  }
  const __m256i power =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_and_ps(_mm256_mul_ps(p, _mm256_castsi256_ps(power)), not_underflow);
}

// Returns erf(x) with an absolute error below 3e-7 (Abramowitz and Stegun, 7.1.26).
inline __m256 erf_lanes(__m256 x) {
  const __m256 sign_bit = _mm256_set1_ps(-0.0F);
  const __m256 one = _mm256_set1_ps(1.0F);
  const __m256 magnitude = _mm256_andnot_ps(sign_bit, x);
  const __m256 t = _mm256_div_ps(one, _mm256_fmadd_ps(magnitude, _mm256_set1_ps(0.3275911F), one));
  __m256 p = _mm256_set1_ps(1.061405429F);
  for (const float c : {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F}) {
    p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(c));
  }
  const __m256 tail = exp_lanes(_mm256_xor_ps(_mm256_mul_ps(x, x), sign_bit));
  const __m256 result = _mm256_fnmadd_ps(_mm256_mul_ps(p, t), tail, one);
  return _mm256_or_ps(result, _mm256_and_ps(x, sign_bit));
}

// Returns x · Φ(x), the exact GELU (Hendrycks and Gimpel 2016), computed with erf.
inline __m256 gelu_lanes(__m256 x) {
  const __m256 half = _mm256_mul_ps(x, _mm256_set1_ps(0.5F));
  return _mm256_fmadd_ps(half, erf_lanes(_mm256_mul_ps(x, _mm256_set1_ps(0.70710678F))), half);
}

}  // namespace virnucpro
