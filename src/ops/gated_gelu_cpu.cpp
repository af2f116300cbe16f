#include <algorithm>

#include "ops/gated_gelu.hpp"
#include "ops/simd.hpp"

namespace virnucpro {
namespace {

void gate_row(const float* in, std::size_t width, float* out) {
  const float* gate = in + width;
  std::size_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    const __m256 value = gelu_lanes(_mm256_loadu_ps(in + i));
    _mm256_storeu_ps(out + i, _mm256_mul_ps(value, _mm256_loadu_ps(gate + i)));
  }
  if (i == width) return;
  float rest[kLanes] = {};
  std::copy(in + i, in + width, rest);
  _mm256_storeu_ps(rest, gelu_lanes(_mm256_loadu_ps(rest)));
  for (std::size_t lane = 0; i < width; ++i, ++lane) out[i] = rest[lane] * gate[i];
}

}  // namespace

void gated_gelu(OpContext& context, const Panels& in, Panels& out) {
  context.pool.parallel_for(in.panels(), [&](std::size_t panel, std::size_t) {
    const RowRange range = panel_rows(panel, in.rows());
    for (std::size_t i = range.first; i < range.last; ++i) {
      gate_row(in.row(i), out.width(), out.row(i));
    }
  });
}

}  // namespace virnucpro
