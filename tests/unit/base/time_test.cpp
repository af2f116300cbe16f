#include "base/time.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

TEST(TimeText, IsInUtcWithMilliseconds) {
  const SystemTime moment{std::chrono::milliseconds(1769851805042)};
  EXPECT_EQ(file_time(moment), "20260131T093005.042Z");
  EXPECT_EQ(iso_time(moment), "2026-01-31T09:30:05.042Z");
}

TEST(TimeText, OfAFileIsReadBack) {
  const SystemTime moment{std::chrono::milliseconds(1769851805042)};
  EXPECT_EQ(parse_file_time(file_time(moment)), moment);
  for (const char* other : {"", "20260131T093005Z", "20260231T093005.042Z", "20260131T093005.042Z ",
                            "2026013xT093005.042Z", "2026-01-31T09:30:05.042Z"}) {
    EXPECT_FALSE(parse_file_time(other)) << other;
  }
}

}  // namespace
}  // namespace virnucpro
