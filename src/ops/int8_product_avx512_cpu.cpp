#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ops/int8_product.hpp"
#include "ops/onednn.hpp"

namespace virnucpro {
namespace {

// AVX512_VNNI multiplies unsigned by signed numbers, so 128 is added to the inputs, and 128 times
// the sum of the weights is taken off the sums.

bool has_vnni() {
  return has_isa(dnnl_cpu_isa_avx512_core_vnni);
}

constexpr std::size_t kVnniRows = 6;  // 6 × 2 sums, 2 weights and 1 input fit in the registers

__attribute__((target("avx512f,avx512vnni"))) void run_vnni(const Int8Problem& problem) {
  const __m512i high = _mm512_set1_epi8(-128);
  const std::size_t lines = problem.tiles * kTileLines;
  for (std::size_t row = 0; row < problem.rows; row += kVnniRows) {
    // If too few rows are left, computes the last row again.
    std::array<const std::int8_t*, kVnniRows> x;
    for (std::size_t r = 0; r < kVnniRows; ++r) {
      x[r] = problem.x + std::min(row + r, problem.rows - 1) * problem.stride;
    }
    __m512i sums[kVnniRows][2];
    for (auto& of_row : sums) {
      of_row[0] = _mm512_loadu_si512(problem.offsets);
      of_row[1] = _mm512_loadu_si512(problem.offsets + kTileOutputs);
    }
    const std::int8_t* weights = problem.weights;
    for (std::size_t line = 0; line < lines; ++line, weights += kTileLineBytes) {
      const __m512i left = _mm512_load_si512(weights);
      const __m512i right = _mm512_load_si512(weights + problem.tiles * kTileBytes);
      for (std::size_t r = 0; r < kVnniRows; ++r) {
        const __m512i inputs =
            _mm512_xor_si512(_mm512_set1_epi32(four_inputs_at(x[r] + line * 4)), high);
        sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], inputs, left);
        sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], inputs, right);
      }
    }
    for (std::size_t r = 0; r < std::min(kVnniRows, problem.rows - row); ++r) {
      std::int32_t* const to = problem.sums + (row + r) * kProductOutputs;
      _mm512_storeu_si512(to, sums[r][0]);
      _mm512_storeu_si512(to + kTileOutputs, sums[r][1]);
    }
  }
}

}  // namespace

const Int8Product kVnniProduct{.name = "avx512-vnni", .usable = has_vnni, .run = run_vnni};

}  // namespace virnucpro
