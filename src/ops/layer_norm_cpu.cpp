#include <cmath>

#include "ops/layer_norm.hpp"
#include "ops/simd.hpp"

namespace virnucpro {
namespace {

// Returns Σ term(i) for i < count: sums in four vectors, then adds the last terms one by one.
template <typename VectorTerm, typename Term>
float ordered_sum(std::size_t count, VectorTerm vector_term, Term term) {
  __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                    _mm256_setzero_ps()};
  std::size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (std::size_t part = 0; part < 4; ++part) {
      sums[part] = _mm256_add_ps(sums[part], vector_term(i + part * kLanes));
    }
  }
  float sum =
      sum_lanes(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
  for (; i < count; ++i) sum += term(i);
  return sum;
}

void normalise(const float* in, const float* weight, const float* bias, float eps,
               std::size_t width, float* out) {
  const auto count = static_cast<float>(width);
  const float mean = ordered_sum(
                         width, [in](std::size_t i) { return _mm256_loadu_ps(in + i); },
                         [in](std::size_t i) { return in[i]; }) /
                     count;
  const __m256 means = _mm256_set1_ps(mean);
  const float variance = ordered_sum(
                             width,
                             [&](std::size_t i) {
                               const __m256 d = _mm256_sub_ps(_mm256_loadu_ps(in + i), means);
                               return _mm256_mul_ps(d, d);
                             },
                             [&](std::size_t i) { return (in[i] - mean) * (in[i] - mean); }) /
                         count;
  const float scale = 1.0F / std::sqrt(variance + eps);
  for (std::size_t i = 0; i < width; ++i) out[i] = (in[i] - mean) * scale * weight[i] + bias[i];
}

}  // namespace

LayerNorm::LayerNorm(const Weights& weights, const std::string& name, std::size_t width, float eps)
    : eps_(eps),
      weight_(read_tensor(weights, name + ".weight", {width})),
      bias_(read_tensor(weights, name + ".bias", {width})) {}

void LayerNorm::run(OpContext& context, const Panels& in, Panels& out) const {
  context.pool.parallel_for(in.panels(), [&](std::size_t panel, std::size_t) {
    const RowRange range = panel_rows(panel, in.rows());
    for (std::size_t i = range.first; i < range.last; ++i) {
      normalise(in.row(i), weight_.data(), bias_.data(), eps_, in.width(), out.row(i));
    }
  });
}

}  // namespace virnucpro
