#pragma once

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

}  // namespace virnucpro
