#pragma once

namespace virnucpro::cuda {

// Returns x · Φ(x), the exact GELU (Hendrycks and Gimpel 2016), as max(x, 0) − |x|·erfc(|x|/√2)/2.
// erfc is approximated by Abramowitz and Stegun's formula 7.1.26, with an error below 1.5e-7. The
// constants include the factors 1/√2 and 1/2.
__device__ __forceinline__ float gelu(float x) {
  const float magnitude = fabsf(x);
  float t;
  asm("rcp.approx.ftz.f32 %0, %1;"
      : "=f"(t)
      : "f"(fmaf(0.3275911F * 0.70710678F, magnitude, 1.0F)));
  float tail;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(tail) : "f"(x * x * (-0.5F * 1.44269504F)));
  float p = 0.5F * 1.061405429F;
  p = fmaf(p, t, 0.5F * -1.453152027F);
  p = fmaf(p, t, 0.5F * 1.421413741F);
  p = fmaf(p, t, 0.5F * -0.284496736F);
  p = fmaf(p, t, 0.5F * 0.254829592F);
  return fmaf(-magnitude, p * t * tail, fmaxf(x, 0.0F));
}

}  // namespace virnucpro::cuda
