#include "telemetry/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace virnucpro {
namespace {

TEST(Progress, StopsAtOnce) {
  const RunCounters counters;
  const auto start = std::chrono::steady_clock::now();
  { const Progress progress(counters, {.interval = std::chrono::hours(1)}); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Progress, OnlyLooks) {
  RunCounters counters;
  const Progress progress(counters, {.interval = std::chrono::milliseconds(1)});
  for (int i = 0; i < 100; ++i) {
    counters.sequences.add();
    counters.pipeline.record({.esm_tokens = 5, .budget_tokens = 10});
  }
  EXPECT_EQ(counters.sequences.get(), 100U);
}

}  // namespace
}  // namespace virnucpro
