#include "ops/tile_walk.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>

namespace virnucpro {
namespace {

TEST(TileWalk, VisitsEveryTileOnce) {
  for (const TileWalk walk :
       {TileWalk{.rows = 5, .columns = 7, .band = 3}, TileWalk{.rows = 1, .columns = 1, .band = 1},
        TileWalk{.rows = 128, .columns = 40, .band = 13},
        TileWalk{.rows = 3, .columns = 4, .band = 4}}) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::uint32_t index = 0; index < walk.rows * walk.columns; ++index) {
      const TileWalk::Tile tile = walk.at(index);
      EXPECT_LT(tile.row, walk.rows);
      EXPECT_LT(tile.column, walk.columns);
      seen.emplace(tile.row, tile.column);
    }
    EXPECT_EQ(seen.size(), walk.rows * walk.columns);
  }
}

TEST(TileWalk, LeavesABandOnlyWhenAllItsRowsAreDone) {
  const TileWalk walk{.rows = 6, .columns = 8, .band = 3};
  std::uint32_t band = 0;
  for (std::uint32_t index = 0; index < walk.rows * walk.columns; ++index) {
    const std::uint32_t now = walk.at(index).column / walk.band;
    EXPECT_GE(now, band);
    if (now > band) {
      EXPECT_EQ(index, now * walk.band * walk.rows);
    }
    band = now;
  }
  EXPECT_EQ(band, 2U);
}

}  // namespace
}  // namespace virnucpro
