#include "report/contig_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace virnucpro {
namespace {

using testing::ElementsAre;

TEST(ContigMap, HasABinForEachBaseOfAShortContig) {
  ContigMap map;
  map.begin(10);
  map.add({.begin = 2, .end = 5}, 2, 0.25);
  map.add({.begin = 4, .end = 7}, 5, 0.75);
  EXPECT_THAT(map.stretches(),
              ElementsAre(MapStretch{0, 2, {}}, MapStretch{2, 4, 0.25}, MapStretch{4, 5, 0.5},
                          MapStretch{5, 7, 0.75}, MapStretch{7, 10, {}}));
}

TEST(ContigMap, StaysSmallForALongContig) {
  ContigMap map;
  const std::uint64_t chunks = 10'000;
  map.begin(500 * chunks);
  for (std::uint64_t k = 0; k < chunks; ++k) {
    map.add({.begin = 500 * k, .end = 500 * (k + 1)}, 500 * k, k % 2 == 0 ? 0.4 : 0.8);
  }
  EXPECT_LE(map.stretches().size(), ContigMap::kBins);
  EXPECT_EQ(map.stretches().back().end, 500 * chunks);
  for (const MapStretch& stretch : map.stretches()) EXPECT_NEAR(*stretch.score, 0.6, 0.02);
}

TEST(ContigMap, IsUnscoredWhereMostOfABinIs) {
  ContigMap map;
  map.begin(1600);  // bins of 10
  map.add({.begin = 0, .end = 4}, 0, 0.5);
  map.add({.begin = 10, .end = 15}, 10, 0.5);
  EXPECT_THAT(map.stretches(), ElementsAre(MapStretch{0, 10, {}}, MapStretch{10, 20, 0.5},
                                           MapStretch{20, 1600, {}}));
}

TEST(ContigMap, TakesLengthsOfAnySize) {
  ContigMap map;
  map.begin(0);
  EXPECT_TRUE(map.stretches().empty());
  const std::uint64_t most = ~std::uint64_t{0};
  map.begin(most);
  map.add({.begin = 0, .end = most}, 0, 1);
  EXPECT_THAT(map.stretches(), ElementsAre(MapStretch{0, most, 1.0}));
}

TEST(ContigMap, BeginsAnew) {
  ContigMap map;
  map.begin(10);
  map.add({.begin = 0, .end = 10}, 0, 1);
  map.begin(20);
  EXPECT_THAT(map.stretches(), ElementsAre(MapStretch{0, 20, {}}));
}

}  // namespace
}  // namespace virnucpro
