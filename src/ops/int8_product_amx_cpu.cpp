#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

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
  std::uint8_t palette;
  std::uint8_t start_row;
  std::uint8_t reserved[14];
  std::uint16_t line_bytes[16];
  std::uint8_t lines[16];
};

// Eight full tiles. A constant, because g++ 12 takes _tile_loadconfig() to read only 8 bytes, and
// could leave out stores to the others.
constexpr TileConfiguration kEightTiles{.palette = 1,
                                        .start_row = 0,
                                        .reserved = {},
                                        .line_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                        .lines = {16, 16, 16, 16, 16, 16, 16, 16}};
static_assert(kTileLineBytes == 64 && kTileLines == 16);

// Tiles 0 to 3 have sums of 2 × 2 tiles, 4 and 5 inputs, 6 and 7 weights.
__attribute__((target("amx-tile,amx-int8"))) void run_amx(const Int8Problem& problem) {
  _tile_loadconfig(&kEightTiles);
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
    _tile_stored(1, sums + kTileOutputs, kSumBytes);
    _tile_stored(2, sums + kTileLines * kProductOutputs, kSumBytes);
    _tile_stored(3, sums + kTileLines * kProductOutputs + kTileOutputs, kSumBytes);
  }
  _tile_release();
}

}  // namespace

const Int8Product kAmxProduct{.name = "amx", .usable = has_amx, .run = run_amx};

}  // namespace virnucpro
