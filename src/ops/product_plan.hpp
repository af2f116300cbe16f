#pragma once

#include <cstddef>
#include <cstdint>

namespace virnucpro::cuda {

// A thread block of a generic product computes a tile of kRows × kColumns outputs; each warp
// computes a part of it. Shared memory holds kStages slabs. A slab has kSlab bytes of every row of
// the tile's inputs and weights. The kinds of tiles differ only in speed, not in bits.
template <int kTileColumns, int kSlabBytes, int kSlabs>
struct GenericTile {
  static constexpr int kRows = 128;
  static constexpr int kColumns = kTileColumns;
  static constexpr int kWarpRows = 64;
  static constexpr int kWarpColumns = 64;
  static constexpr int kWarpsDown = kRows / kWarpRows;
  static constexpr int kThreads = 32 * kWarpsDown * (kColumns / kWarpColumns);
  static constexpr int kBlocks = 256 / kThreads;  // that share a multiprocessor
  static constexpr int kSlab = kSlabBytes;
  static constexpr int kStages = kSlabs;
  static constexpr int kInputBytes = kRows * kSlab;  // a stage's inputs; its weights follow
  static constexpr int kStageBytes = (kRows + kColumns) * kSlab;
  static constexpr int kBytes = kStageBytes * kStages;
};

using LeanTile = GenericTile<256, 64, 4>;  // fits into every GPU of compute capability 8.0 or newer
using WideTile = GenericTile<256, 128, 3>;
using TwinTile = GenericTile<128, 128, 3>;  // one block multiplies while the other stores

// Shared memory that CUDA takes for itself from every block.
inline constexpr std::size_t kReservedBytes = 1024;

template <typename Tile>
constexpr bool fits(std::size_t shared_bytes_of_multiprocessor) {
  return Tile::kBlocks * (Tile::kBytes + kReservedBytes) <= shared_bytes_of_multiprocessor;
}

enum class TileKind : std::uint8_t { kLean, kWide, kTwin };

// Chooses the tile of a product whose rows of inputs have `line_bytes` bytes, and whose epilogue
// reads old outputs or not. Twins load more slabs than a wide tile. That pays only where the sums
// are so short that reading old outputs takes a fifth as long.
constexpr TileKind product_tile(std::size_t line_bytes, bool reads_out,
                                std::size_t shared_bytes_of_multiprocessor) {
  constexpr std::size_t kShortLine = 8192;
  if (reads_out && line_bytes <= kShortLine && fits<TwinTile>(shared_bytes_of_multiprocessor)) {
    return TileKind::kTwin;
  }
  return fits<WideTile>(shared_bytes_of_multiprocessor) ? TileKind::kWide : TileKind::kLean;
}

}  // namespace virnucpro::cuda
