#include "ops/product_plan.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "unit/ops/architectures.hpp"

namespace virnucpro::cuda {
namespace {

struct Needs {
  std::size_t block;
  std::size_t multiprocessor;
};

template <typename Tile>
constexpr Needs needs_of() {
  return {Tile::kBytes, Tile::kBlocks * (Tile::kBytes + kReservedBytes)};
}

Needs needs_of(TileKind kind) {
  switch (kind) {
    case TileKind::kLean:
      return needs_of<LeanTile>();
    case TileKind::kWide:
      return needs_of<WideTile>();
    case TileKind::kTwin:
      return needs_of<TwinTile>();
  }
  return {};
}

TEST(ProductPlan, ChoosesTilesThatFit) {
  for (const Architecture& architecture : kArchitectures) {
    for (const std::size_t line_bytes : {16U, 2560U, 5120U, 20480U}) {
      for (const bool reads_out : {false, true}) {
        const Needs needs =
            needs_of(product_tile(line_bytes, reads_out, architecture.multiprocessor << 10U));
        EXPECT_LE(needs.block, architecture.block << 10U) << architecture.name;
        EXPECT_LE(needs.multiprocessor, architecture.multiprocessor << 10U) << architecture.name;
      }
    }
  }
}

// The linear layers of ESM-2 3B in fp16: qkv and fc1 read no old outputs; fc2 has long sums.
TEST(ProductPlan, TakesTwinsOnlyForShortSumsThatReadOldOutputs) {
  constexpr std::size_t kHopper = std::size_t{228} << 10U;
  EXPECT_EQ(product_tile(2560 * 2, false, kHopper), TileKind::kWide);
  EXPECT_EQ(product_tile(2560 * 2, true, kHopper), TileKind::kTwin);
  EXPECT_EQ(product_tile(10240 * 2, true, kHopper), TileKind::kWide);
  EXPECT_EQ(product_tile(2560 * 2, true, std::size_t{164} << 10U), TileKind::kWide);
  EXPECT_EQ(product_tile(2560 * 2, true, std::size_t{100} << 10U), TileKind::kLean);
}

}  // namespace
}  // namespace virnucpro::cuda
