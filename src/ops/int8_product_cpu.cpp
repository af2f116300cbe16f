#include <immintrin.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "ops/int8_product.hpp"
#include "ops/panels.hpp"

namespace virnucpro {
namespace {

// AVX2 multiplies 16-bit numbers and adds pairs. A register of sums has two for each of 4 outputs.

__m256i sixteen_words(const std::int8_t* codes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
}

constexpr std::size_t kQuarters = 4;  // of a line: 4 outputs each

// Computes the sums of 16 outputs and two rows.
void add_lines(const std::array<const std::int8_t*, 2>& x, const std::int8_t* weights,
               std::size_t lines, __m256i (&sums)[2][kQuarters]) {
  for (std::size_t line = 0; line < lines; ++line, weights += kTileLineBytes) {
    for (std::size_t quarter = 0; quarter < kQuarters; ++quarter) {
      const __m256i w = sixteen_words(weights + quarter * 16);
      for (std::size_t r = 0; r < 2; ++r) {
        const __m256i inputs =
            _mm256_cvtepi8_epi16(_mm_set1_epi32(four_inputs_at(x[r] + line * 4)));
        sums[r][quarter] = _mm256_add_epi32(sums[r][quarter], _mm256_madd_epi16(inputs, w));
      }
    }
  }
}

void run_avx2(const Int8Problem& problem) {
  for (std::size_t half = 0; half < 2; ++half) {
    const std::int8_t* const weights = problem.weights + half * problem.tiles * kTileBytes;
    for (std::size_t row = 0; row < problem.rows; row += 2) {
      const std::size_t next = std::min(row + 1, problem.rows - 1);
      __m256i sums[2][kQuarters] = {};
      add_lines({problem.x + row * problem.stride, problem.x + next * problem.stride}, weights,
                problem.tiles * kTileLines, sums);
      for (std::size_t r = 0; r < std::min<std::size_t>(2, problem.rows - row); ++r) {
        std::int32_t* const to = problem.sums + (row + r) * kProductOutputs + half * kTileOutputs;
        for (std::size_t pair = 0; pair < 2; ++pair) {
          const __m256i both = _mm256_hadd_epi32(sums[r][2 * pair], sums[r][2 * pair + 1]);
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + pair * 8),
                              _mm256_permute4x64_epi64(both, 0xd8));
        }
      }
    }
  }
}

constexpr std::array kProducts{&kAmxProduct, &kVnniProduct, &kAvx2Product};

}  // namespace

const Int8Product kAvx2Product{.name = "avx2", .usable = [] { return true; }, .run = run_avx2};

Int8Weights::Int8Weights(std::size_t outputs, std::size_t inputs)
    : outputs_(outputs),
      inputs_(inputs),
      tiles_(Purpose::kWeights,
             checked_elements(Purpose::kWeights, round_up(outputs, kProductOutputs),
                              round_up(inputs, kTileInputs))),
      offsets_(Purpose::kWeights, round_up(outputs, kProductOutputs)) {
  std::fill_n(tiles_.data(), tiles_.size(), std::int8_t{0});
  std::fill_n(offsets_.data(), offsets_.size(), 0);
}

void Int8Weights::set(std::size_t output, std::span<const std::int8_t> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) tiles_.data()[place(output, i)] = weights[i];
  offsets_.data()[output] = -128 * std::accumulate(weights.begin(), weights.end(), 0);
}

std::span<const Int8Product* const> int8_products() {
  return kProducts;
}

const Int8Product& fastest_int8_product() {
  return **std::ranges::find_if(kProducts, [](const Int8Product* one) { return one->usable(); });
}

}  // namespace virnucpro
