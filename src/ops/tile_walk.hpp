#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define VIRNUCPRO_HOST_DEVICE __host__ __device__
#else
#define VIRNUCPRO_HOST_DEVICE
#endif

namespace virnucpro {

// The order of a product's tiles: row after row within a band of columns, then the next band. A
// band's weights stay in the L2 cache while all its rows are computed. This saves DRAM traffic and
// so power, which limits the GPU's clock.
struct TileWalk {
  std::uint32_t rows = 0;     // in tiles
  std::uint32_t columns = 0;  // in tiles
  std::uint32_t band = 0;     // columns of a band, in tiles; the last band may be narrower

  struct Tile {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };

  // Returns the position of tile `index`, which must be below rows · columns.
  VIRNUCPRO_HOST_DEVICE Tile at(std::uint32_t index) const {
    const std::uint32_t first = index / (band * rows) * band;
    const std::uint32_t within = index - first * rows;
    const std::uint32_t width = columns - first < band ? columns - first : band;
    return {.row = within / width, .column = first + within % width};
  }
};

// The weights of a product, [outputs, inputs].
struct ProductShape {
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::size_t element_bytes = 0;
};

// Returns the number of tile columns in a band. A band's weights should stay in the L2 cache while
// all rows are computed, so the number depends on the bytes of the weights. In measurements bands
// of 16-bit weights were fastest if they filled a quarter of the cache, or half of it for layers
// with more inputs than outputs, because each band reads all rows again. Bands of 8-bit weights
// were fastest at half these sizes.
inline std::uint32_t band_columns(const ProductShape& weights, std::size_t tile_columns,
                                  std::size_t l2_bytes) {
  const std::size_t columns = (weights.outputs + tile_columns - 1) / tile_columns;
  const std::size_t bytes = weights.outputs * weights.inputs * weights.element_bytes;
  const std::size_t parts = weights.inputs > weights.outputs ? 4 : 8;
  const std::size_t room = l2_bytes * weights.element_bytes / parts;
  const std::size_t bands = std::clamp<std::size_t>((bytes + room / 2) / room, 1, columns);
  return static_cast<std::uint32_t>((columns + bands - 1) / bands);
}

}  // namespace virnucpro
