#include "base/time_text.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

TEST(TimeText, IsInUtcWithMilliseconds) {
  const SystemTime moment{std::chrono::milliseconds(1769851805042)};
  EXPECT_EQ(file_time(moment), "20260131T093005.042Z");
  EXPECT_EQ(iso_time(moment), "2026-01-31T09:30:05.042Z");
}

}  // namespace
}  // namespace virnucpro
