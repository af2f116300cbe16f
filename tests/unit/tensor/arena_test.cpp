#include "tensor/arena.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "base/error.hpp"

namespace virnucpro {
namespace {

TEST(Arena, GivesAlignedPartsOfItsRegion) {
  alignas(256) std::array<std::byte, 1024> region{};
  Arena arena(region.data(), region.size());
  EXPECT_EQ(arena.allocate(1), region.data());
  EXPECT_EQ(arena.allocate(257), region.data() + 256);
  EXPECT_EQ(arena.used(), 768U);
}

TEST(Arena, HandsOutAgainWhatWasGivenBackAndNothingBeyondItsRegion) {
  alignas(256) std::array<std::byte, 512> region{};
  Arena arena(region.data(), region.size());
  arena.allocate(256);
  const std::size_t mark = arena.used();
  void* const first = arena.allocate(256);
  arena.rewind(mark);
  EXPECT_EQ(arena.allocate(256), first);
  EXPECT_EQ(arena.most(), 512U);
  EXPECT_THROW(arena.allocate(1), Error);
}

TEST(Arena, CountsWithoutARegion) {
  Arena plan;
  const DeviceMatrix matrix = plan.matrix(100, 64, Element::kFp16);
  EXPECT_EQ(matrix.data, nullptr);
  EXPECT_EQ(matrix.bytes(), 12800U);
  plan.rewind(0);
  plan.matrix(10, 64, Element::kFp32);
  EXPECT_EQ(plan.used(), 2560U);
  EXPECT_EQ(plan.most(), 12800U);
}

TEST(Arena, SizesThatNoMachineHas) {
  Arena plan;
  EXPECT_THROW(plan.matrix(SIZE_MAX / 2, 4, Element::kFp32), Error);
  EXPECT_THROW(plan.allocate(SIZE_MAX), Error);
}

}  // namespace
}  // namespace virnucpro
