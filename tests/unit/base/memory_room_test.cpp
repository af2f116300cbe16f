#include "base/memory_room.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace virnucpro {
namespace {

TEST(MemoryRoom, IsWhatTheSystemWouldGive) {
  errno = EDOM;
  EXPECT_TRUE(has_room(1U << 20U));
  EXPECT_FALSE(has_room(std::size_t{1} << 62U));
  EXPECT_FALSE(memory_is_scarce());
  EXPECT_EQ(errno, EDOM);
}

}  // namespace
}  // namespace virnucpro
