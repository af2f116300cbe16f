#include "measure/timing/host_stages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace virnucpro {
namespace {

constexpr std::size_t kSize = 64U << 20U;
constexpr std::size_t kUncounted = kSize / 16;  // the kernel counts pages per processor, in batches

TEST(PeakMemory, IsWhatTheWorkHeldAtOnce) {
  const auto peak = peak_memory_of([] { const std::vector<char> held(kSize, 'x'); });
  ASSERT_TRUE(peak);
  EXPECT_GE(*peak, kSize - kUncounted);
  EXPECT_LT(*peak, 2 * kSize);
}

TEST(PeakMemory, IsNotThatOfEarlierWork) {
  const std::vector<char> held(kSize, 'x');
  const auto peak = peak_memory_of([] {});
  ASSERT_TRUE(peak);
  EXPECT_LT(*peak, kSize / 4);
}

}  // namespace
}  // namespace virnucpro
