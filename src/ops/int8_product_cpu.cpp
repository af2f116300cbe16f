#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "ops/int8_product.hpp"
#include "ops/onednn.hpp"
#include "ops/panels.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kTileBytes = 1024;
constexpr std::size_t kLines = 16;  // of a tile
constexpr std::size_t kLineBytes = 64;

std::int32_t four_at(const std::int8_t* at) {
  std::int32_t four = 0;
  std::memcpy(&four, at, sizeof four);
  return four;
}

// AMX (Intel's Software Developer's Manual, volume 1, chapter 18).

// Asks the kernel once for the processor state that tiles need.
bool has_amx() {
  constexpr long kRequestPermission = 0x1023;
  constexpr long kTileData = 18;
  static const bool has = has_isa(dnnl_cpu_isa_avx512_core_amx) &&
                          syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return has;
}

struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t line_bytes[16] = {};
  std::uint8_t lines[16] = {};
};

// Tiles 0 to 3 have sums of 2 × 2 tiles, 4 and 5 inputs, 6 and 7 weights.
__attribute__((target("amx-tile,amx-int8"))) void run_amx(const Int8Problem& problem) {
  TileConfiguration configuration;
  std::fill_n(configuration.line_bytes, 8, std::uint16_t{kLineBytes});
  std::fill_n(configuration.lines, 8, std::uint8_t{kLines});
  _tile_loadconfig(&configuration);
  for (std::size_t row = 0; row < problem.rows; row += kRowsAtOnce) {
    const std::int8_t* upper = problem.x + row * problem.stride;
    const std::int8_t* lower = upper + kLines * problem.stride;
    const std::int8_t* left = problem.weights;
    const std::int8_t* right = left + problem.tiles * kTileBytes;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (std::size_t tile = 0; tile < problem.tiles; ++tile) {
      _tile_loadd(4, upper + tile * kTileInputs, problem.stride);
      _tile_loadd(6, left + tile * kTileBytes, kLineBytes);
      _tile_loadd(5, lower + tile * kTileInputs, problem.stride);
      _tile_loadd(7, right + tile * kTileBytes, kLineBytes);
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(3, 5, 7);
    }
    std::int32_t* const sums = problem.sums + row * kProductOutputs;
    constexpr std::size_t kSumBytes = kProductOutputs * sizeof(std::int32_t);
    _tile_stored(0, sums, kSumBytes);
    _tile_stored(1, sums + kLines, kSumBytes);
    _tile_stored(2, sums + kLines * kProductOutputs, kSumBytes);
    _tile_stored(3, sums + kLines * kProductOutputs + kLines, kSumBytes);
  }
  _tile_release();
}

// AVX512_VNNI multiplies unsigned by signed numbers, so 128 is added to the inputs, and 128 times
// the sum of the weights is taken off the sums.

bool has_vnni() {
  return has_isa(dnnl_cpu_isa_avx512_core_vnni);
}

constexpr std::size_t kVnniRows = 6;  // 6 × 2 sums, 2 weights and 1 input fit in the registers

__attribute__((target("avx512f,avx512vnni"))) void run_vnni(const Int8Problem& problem) {
  const __m512i high = _mm512_set1_epi8(-128);
  const std::size_t lines = problem.tiles * kLines;
  for (std::size_t row = 0; row < problem.rows; row += kVnniRows) {
    // If too few rows are left, computes the last row again.
    std::array<const std::int8_t*, kVnniRows> x;
    for (std::size_t r = 0; r < kVnniRows; ++r) {
      x[r] = problem.x + std::min(row + r, problem.rows - 1) * problem.stride;
    }
    __m512i sums[kVnniRows][2];
    for (auto& of_row : sums) {
      of_row[0] = _mm512_loadu_si512(problem.offsets);
      of_row[1] = _mm512_loadu_si512(problem.offsets + kLines);
    }
    const std::int8_t* weights = problem.weights;
    for (std::size_t line = 0; line < lines; ++line, weights += kLineBytes) {
      const __m512i left = _mm512_load_si512(weights);
      const __m512i right = _mm512_load_si512(weights + problem.tiles * kTileBytes);
      for (std::size_t r = 0; r < kVnniRows; ++r) {
        const __m512i inputs = _mm512_xor_si512(_mm512_set1_epi32(four_at(x[r] + line * 4)), high);
        sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], inputs, left);
        sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], inputs, right);
      }
    }
    for (std::size_t r = 0; r < std::min(kVnniRows, problem.rows - row); ++r) {
      std::int32_t* const to = problem.sums + (row + r) * kProductOutputs;
      _mm512_storeu_si512(to, sums[r][0]);
      _mm512_storeu_si512(to + kLines, sums[r][1]);
    }
  }
}

// AVX2 multiplies 16-bit numbers and adds pairs. A register of sums has two for each of 4 outputs.

__m256i sixteen_words(const std::int8_t* codes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
}

constexpr std::size_t kQuarters = 4;  // of a line: 4 outputs each

// Computes the sums of 16 outputs and two rows.
void add_lines(const std::array<const std::int8_t*, 2>& x, const std::int8_t* weights,
               std::size_t lines, __m256i (&sums)[2][kQuarters]) {
  for (std::size_t line = 0; line < lines; ++line, weights += kLineBytes) {
    for (std::size_t quarter = 0; quarter < kQuarters; ++quarter) {
      const __m256i w = sixteen_words(weights + quarter * 16);
      for (std::size_t r = 0; r < 2; ++r) {
        const __m256i inputs = _mm256_cvtepi8_epi16(_mm_set1_epi32(four_at(x[r] + line * 4)));
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
                problem.tiles * kLines, sums);
      for (std::size_t r = 0; r < std::min<std::size_t>(2, problem.rows - row); ++r) {
        std::int32_t* const to = problem.sums + (row + r) * kProductOutputs + half * kLines;
        for (std::size_t pair = 0; pair < 2; ++pair) {
          const __m256i both = _mm256_hadd_epi32(sums[r][2 * pair], sums[r][2 * pair + 1]);
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + pair * 8),
                              _mm256_permute4x64_epi64(both, 0xd8));
        }
      }
    }
  }
}

constexpr std::array<Int8Product, 3> kProducts{{
    {.name = "amx", .usable = has_amx, .run = run_amx},
    {.name = "avx512-vnni", .usable = has_vnni, .run = run_vnni},
    {.name = "avx2", .usable = [] { return true; }, .run = run_avx2},
}};

}  // namespace

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

std::span<const Int8Product> int8_products() {
  return kProducts;
}

const Int8Product& fastest_int8_product() {
  return *std::ranges::find_if(kProducts, [](const Int8Product& one) { return one.usable(); });
}

}  // namespace virnucpro
