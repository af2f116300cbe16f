#include "report/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace virnucpro {
namespace {

using std::chrono::duration;

TEST(ProgressLine, GivesCountsAndRatesBetweenTheSamples) {
  ProgressSample before;
  before.elapsed = duration<double>(3600);
  before.sequences = 1000;
  before.tokens = 10000;
  ProgressSample now;
  now.elapsed = duration<double>(3665);
  now.sequences = 2300;
  now.frames = 400;
  now.frames_scored = 345;
  now.tokens = 75000;
  now.esm_tokens = 970;
  now.budget_tokens = 1000;
  EXPECT_EQ(progress_line(now, before),
            "1:01:05 · 2,300 sequences · 345/400 frames · 20.0 sequences/s · 1,000 tokens/s · "
            "97 % packed");
}

TEST(ProgressLine, ClaimsNothingBeforeTheFirstBatch) {
  EXPECT_EQ(progress_line({}, {}),
            "0:00:00 · 0 sequences · 0/0 frames · - sequences/s · - tokens/s");
}

TEST(FitToWidth, LeavesOutWholeFields) {
  EXPECT_EQ(fit_to_width("é 1 · b 2 · c 3", 15), "é 1 · b 2 · c 3");
  EXPECT_EQ(fit_to_width("é 1 · b 2 · c 3", 14), "é 1 · b 2");
  EXPECT_EQ(fit_to_width("é 1 · b 2 · c 3", 9), "é 1 · b 2");
  EXPECT_EQ(fit_to_width("é 1 · b 2 · c 3", 3), "é 1");
  EXPECT_EQ(fit_to_width("é 1 · b 2 · c 3", 2), "");
}

TEST(SampleProgress, AddsBothModelsTokens) {
  RunCounters counters;
  counters.pipeline.record({.esm_tokens = 5, .dna_tokens = 7});
  counters.sequences.add();
  const ProgressSample sample = sample_progress(counters, duration<double>(1));
  EXPECT_EQ(sample.tokens, 12U);
  EXPECT_EQ(sample.esm_tokens, 5U);
  EXPECT_EQ(sample.sequences, 1U);
}

TEST(Progress, StopsAtOnce) {
  const RunCounters counters;
  const auto start = std::chrono::steady_clock::now();
  { const Progress progress(counters); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace virnucpro
