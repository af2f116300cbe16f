#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/int8_product.hpp"
#include "ops/quantise.hpp"
#include "ops/simd.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kBlockColumns = 8;
constexpr float kLargestCode = 127.0F;

// Returns the largest |number|, or infinity or NaN if a number is not finite. Compares the bits
// without the sign bit: they have the same order as the magnitudes, and NaN is above infinity.
float largest_magnitude(std::span<const float> numbers) {
  std::uint32_t largest = 0;
  for (const float number : numbers) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(number) & 0x7fffffffU);
  }
  return std::bit_cast<float>(largest);
}

std::int8_t rounded(float number) {
  return static_cast<std::int8_t>(std::nearbyint(number));
}

}  // namespace

Codes::Codes(Purpose purpose, std::size_t rows, std::size_t width)
    : width_(width),
      codes_(purpose, checked_elements(purpose, round_up(rows, kRowsAtOnce), width) + kTileInputs),
      scales_(purpose, rows) {}

void rotate_blocks(std::span<float> numbers) {
  static_assert(kBlockColumns == kLanes);
  // Lanes that get a difference: bits 0, 1 and 2 of their numbers say at which distances.
  const __m256 odd = _mm256_set_ps(-0.0F, 0, -0.0F, 0, -0.0F, 0, -0.0F, 0);
  const __m256 odd_pairs = _mm256_set_ps(-0.0F, -0.0F, 0, 0, -0.0F, -0.0F, 0, 0);
  const __m256 odd_half = _mm256_set_ps(-0.0F, -0.0F, -0.0F, -0.0F, 0, 0, 0, 0);
  for (std::size_t first = 0; first < numbers.size(); first += kBlockColumns) {
    __m256 block = _mm256_loadu_ps(numbers.data() + first);
    block = _mm256_add_ps(_mm256_permute_ps(block, 0xb1), _mm256_xor_ps(block, odd));
    block = _mm256_add_ps(_mm256_permute_ps(block, 0x4e), _mm256_xor_ps(block, odd_pairs));
    block = _mm256_add_ps(_mm256_permute2f128_ps(block, block, 1), _mm256_xor_ps(block, odd_half));
    _mm256_storeu_ps(numbers.data() + first, _mm256_mul_ps(block, _mm256_set1_ps(0.35355339F)));
  }
}

float quantise_row(std::span<const float> numbers, std::span<std::int8_t> codes) {
  const float largest = largest_magnitude(numbers);
  const float factor = kLargestCode / largest;
  if (!std::isfinite(largest) || !std::isfinite(factor)) {
    std::fill(codes.begin(), codes.end(), std::int8_t{0});
    return std::isfinite(largest) ? 0.0F : std::numeric_limits<float>::quiet_NaN();
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) codes[i] = rounded(numbers[i] * factor);
  return largest / kLargestCode;
}

void quantise_rest(std::span<const float> numbers, float scale, std::span<const std::int8_t> codes,
                   std::span<std::int8_t> rest) {
  const float factor = 2.0F * kLargestCode / scale;
  if (!std::isfinite(factor)) {
    std::fill(rest.begin(), rest.end(), std::int8_t{0});
    return;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float left = std::fma(-scale, static_cast<float>(codes[i]), numbers[i]);
    rest[i] = rounded(std::clamp(left * factor, -kLargestCode, kLargestCode));
  }
}

void quantise_rows(OpContext& context, const Panels& in, Blocks blocks, Codes& out) {
  context.pool.parallel_for(in.panels(), [&](std::size_t panel, std::size_t) {
    const RowRange range = panel_rows(panel, in.rows());
    std::vector<float> rotated(in.width());
    for (std::size_t i = range.first; i < range.last; ++i) {
      std::span<const float> row{in.row(i), in.width()};
      if (blocks == Blocks::kRotated) {
        std::copy(row.begin(), row.end(), rotated.begin());
        rotate_blocks(rotated);
        row = rotated;
      }
      out.scales()[i] = quantise_row(row, out.row(i));
    }
  });
}

}  // namespace virnucpro
