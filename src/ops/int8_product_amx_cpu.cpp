#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "ops/int8_product.hpp"
#include "ops/onednn.hpp"

namespace virnucpro {
namespace {

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
  std::fill_n(configuration.line_bytes, 8, std::uint16_t{kTileLineBytes});
  std::fill_n(configuration.lines, 8, std::uint8_t{kTileLines});
  _tile_loadconfig(&configuration);
  for (std::size_t row = 0; row < problem.rows; row += kRowsAtOnce) {
    const std::int8_t* upper = problem.x + row * problem.stride;
    const std::int8_t* lower = upper + kTileLines * problem.stride;
    const std::int8_t* left = problem.weights;
    const std::int8_t* right = left + problem.tiles * kTileBytes;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (std::size_t tile = 0; tile < problem.tiles; ++tile) {
      _tile_loadd(4, upper + tile * kTileInputs, problem.stride);
      _tile_loadd(6, left + tile * kTileBytes, kTileLineBytes);
      _tile_loadd(5, lower + tile * kTileInputs, problem.stride);
      _tile_loadd(7, right + tile * kTileBytes, kTileLineBytes);
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(3, 5, 7);
    }
    std::int32_t* const sums = problem.sums + row * kProductOutputs;
    constexpr std::size_t kSumBytes = kProductOutputs * sizeof(std::int32_t);
    _tile_stored(0, sums, kSumBytes);
    _tile_stored(1, sums + kTileLines, kSumBytes);
    _tile_stored(2, sums + kTileLines * kProductOutputs, kSumBytes);
    _tile_stored(3, sums + kTileLines * kProductOutputs + kTileLines, kSumBytes);
  }
  _tile_release();
}

}  // namespace

const Int8Product kAmxProduct{.name = "amx", .usable = has_amx, .run = run_amx};

}  // namespace virnucpro
