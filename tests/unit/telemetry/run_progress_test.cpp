#include "telemetry/run_progress.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace virnucpro {
namespace {

constexpr std::uint64_t kBytes = 1'000'000;

// A run of 10,000 sequences of one chunk and 2 frames each, read well ahead of scoring.
ProgressSample at(double seconds, int scored_now, int known_before = 0) {
  const auto scored = static_cast<std::uint64_t>(scored_now);
  const auto known = static_cast<std::uint64_t>(known_before);
  const std::uint64_t done = known + scored;
  const std::uint64_t read = std::min<std::uint64_t>(done + 1000, 10'000);
  const std::uint64_t framed = std::min<std::uint64_t>(done + 500, 10'000) - known;
  ProgressSample sample;
  sample.seconds = seconds;
  sample.input_bytes = read * 100;
  sample.input_bytes_total = kBytes;
  sample.sequences = sample.chunks = read;
  sample.sequences_known = sample.chunks_known = known;
  sample.chunks_framed = framed;
  sample.frames = 2 * framed;
  sample.frames_scored = 2 * scored;
  sample.computed.esm_tokens = 90 * scored;
  sample.computed.dna_tokens = 10 * scored;
  sample.computed.budget_tokens = 100 * scored;
  sample.computed.times.esm2 = seconds / 2;
  sample.workers = {sample.computed};
  return sample;
}

TEST(RunProgress, SaysNothingOfWhatIsNotKnown) {
  ProgressTracker tracker(true);
  const RunProgress progress = tracker.add({.seconds = 5});
  EXPECT_EQ(progress.stage, ProgressStage::kStarting);
  EXPECT_FALSE(progress.percent);
  EXPECT_FALSE(progress.seconds_left);
  EXPECT_FALSE(progress.sequences_total);
  EXPECT_FALSE(progress.sequences_per_second);
  EXPECT_FALSE(progress.all.tokens_per_second);
  EXPECT_FALSE(progress.all.gpu_percent);
  EXPECT_FALSE(progress.all.packing_percent);
}

TEST(RunProgress, TellsTheTimeLeftFromTheRateAfterTheWarmUp) {
  ProgressTracker tracker(false);
  tracker.add(at(0, 0));
  RunProgress progress = tracker.add(at(120, 0));
  EXPECT_FALSE(progress.seconds_left) << "no batch came back";
  EXPECT_NEAR(*progress.percent, 0, 1e-9);
  // 10 sequences per second, once the models are warm.
  for (int i = 1; i <= 300; ++i) progress = tracker.add(at(120 + i, 10 * i));
  EXPECT_NEAR(*progress.percent, 30, 0.1);
  EXPECT_NEAR(*progress.seconds_left, 700, 1);
  EXPECT_EQ(progress.sequences, 3000U);
  EXPECT_EQ(*progress.sequences_total, 10'000U);
  EXPECT_FALSE(progress.all_read);
  EXPECT_NEAR(*progress.sequences_per_second, 10, 1e-6);
  EXPECT_NEAR(*progress.all.tokens_per_second, 1000, 1e-6);
  EXPECT_NEAR(*progress.all.packing_percent, 90, 1e-6);
  EXPECT_FALSE(progress.all.gpu_percent) << "there is none";
}

TEST(RunProgress, KnowsAResumedRunsPart) {
  ProgressTracker tracker(false);
  // The known sequences are read in two seconds.
  tracker.add(at(1, 0, 4000));
  RunProgress progress = tracker.add(at(2, 0, 8000));
  EXPECT_FALSE(progress.seconds_left) << "reading is no rate";
  EXPECT_FALSE(progress.sequences_per_second);
  EXPECT_NEAR(*progress.percent, 80, 0.1);
  for (int i = 1; i <= 100; ++i) progress = tracker.add(at(2 + i, 10 * i, 8000));
  EXPECT_EQ(progress.sequences, 9000U);
  EXPECT_NEAR(*progress.percent, 90, 0.1);
  EXPECT_NEAR(*progress.sequences_per_second, 10, 1e-6);
  EXPECT_NEAR(*progress.seconds_left, 100, 1);
}

TEST(RunProgress, FollowsARateThatChangesAndAStall) {
  ProgressTracker tracker(false);
  RunProgress progress;
  for (int i = 1; i <= 200; ++i) progress = tracker.add(at(i, 20 * i));
  EXPECT_NEAR(*progress.seconds_left, 300, 1);
  for (int i = 1; i <= 100; ++i) progress = tracker.add(at(200 + i, 4000 + 10 * i));
  EXPECT_NEAR(*progress.seconds_left, 500, 2) << "a minute later the old rate is forgotten";
  for (int i = 1; i <= 300; ++i) progress = tracker.add(at(300 + i, 5000));
  EXPECT_GT(*progress.seconds_left, 2000);
  EXPECT_TRUE(std::isfinite(*progress.seconds_left));
}

TEST(RunProgress, HasNoTotalOfAPipeUntilItsEnd) {
  ProgressTracker tracker(false);
  RunProgress progress;
  for (int i = 1; i <= 100; ++i) {
    ProgressSample sample = at(i, 10 * i);
    sample.input_bytes_total = 0;
    progress = tracker.add(sample);
  }
  EXPECT_FALSE(progress.percent);
  EXPECT_FALSE(progress.seconds_left);
  EXPECT_FALSE(progress.sequences_total);
  EXPECT_NEAR(*progress.sequences_per_second, 10, 1e-6);
  ProgressSample end = at(101, 1010);
  end.input_bytes_total = end.input_bytes;
  progress = tracker.add(end);
  EXPECT_EQ(*progress.sequences_total, 2010U);
  EXPECT_TRUE(progress.all_read);
  EXPECT_NEAR(*progress.percent, 100 * 1010.0 / 2010, 0.1);
}

TEST(RunProgress, IsAtItsEndOnlyWhenAllIsScored) {
  ProgressTracker tracker(false);
  for (int i = 1; i <= 100; ++i) tracker.add(at(i, 99 * i));
  RunProgress progress = tracker.add(at(101, 9'999));
  EXPECT_EQ(progress.stage, ProgressStage::kScoring);
  EXPECT_LT(*progress.percent, 100);
  EXPECT_GE(*progress.seconds_left, 0);
  progress = tracker.add(at(102, 10'000));
  EXPECT_EQ(progress.stage, ProgressStage::kFinishing);
  EXPECT_EQ(*progress.percent, 100);
  EXPECT_FALSE(progress.seconds_left);
}

// Most reads have no frame, and are done as soon as they are read.
TEST(RunProgress, SaysTheSameInPerCentAndInSequences) {
  ProgressTracker tracker(false);
  RunProgress progress;
  for (int i = 1; i <= 100; ++i) {
    ProgressSample sample = at(i, 0);
    sample.input_bytes = kBytes;  // all was read ahead
    sample.sequences = sample.chunks = sample.chunks_framed = 10'000;
    sample.frames = 1000;
    sample.frames_scored = static_cast<std::uint64_t>(5 * i);
    progress = tracker.add(sample);
    EXPECT_NEAR(static_cast<double>(progress.sequences) / 100, *progress.percent, 0.01);
  }
  EXPECT_NEAR(*progress.percent, 50, 1e-9);
  EXPECT_EQ(progress.sequences, 5000U);
  EXPECT_NEAR(*progress.sequences_per_second, 50, 1e-6);
  EXPECT_NEAR(*progress.seconds_left, 100, 1);
}

TEST(RunProgress, IsNeverNonsense) {
  // Sequences without a chunk, more bytes read than the files have, counters a moment apart.
  ProgressTracker tracker(true);
  for (int i = 1; i <= 20; ++i) {
    ProgressSample sample = at(i, 50 * i);
    sample.input_bytes = 3 * kBytes;
    sample.chunks = i % 2 == 0 ? 0 : 10;
    sample.frames = sample.frames_scored / 2;
    sample.computed.times.esm2 = 5.0 * i;
    sample.workers = {sample.computed};
    const RunProgress progress = tracker.add(sample);
    if (progress.percent) {
      EXPECT_GE(*progress.percent, 0);
      EXPECT_LE(*progress.percent, 100);
    }
    if (progress.seconds_left) {
      EXPECT_GE(*progress.seconds_left, 0);
    }
    if (progress.all.gpu_percent) {
      EXPECT_LE(*progress.all.gpu_percent, 100);
    }
  }
}

TEST(RunProgress, TakesTheGpusWordOrTheTimeOfItsBatches) {
  ProgressTracker tracker(true);
  RunProgress progress;
  for (int i = 1; i <= 100; ++i) {
    ProgressSample sample = at(i, 10 * i);
    sample.workers = {sample.computed, sample.computed};
    sample.utilization = {97, std::nullopt};
    progress = tracker.add(sample);
  }
  ASSERT_EQ(progress.workers.size(), 2U);
  EXPECT_NEAR(*progress.workers[0].gpu_percent, 97, 1e-6);
  EXPECT_NEAR(*progress.workers[1].gpu_percent, 50, 1e-6);
  EXPECT_NEAR(*progress.all.gpu_percent, 73.5, 1e-6);
}

TEST(SampleProgress, TakesTheCounters) {
  RunCounters counters;
  counters.pipeline.record({.worker = 1, .esm_tokens = 5, .dna_tokens = 7});
  counters.sequences.add(3);
  counters.input_bytes.add(10);
  const ProgressSample sample = sample_progress(counters);
  EXPECT_EQ(sample.computed.esm_tokens, 5U);
  EXPECT_EQ(sample.workers.size(), 2U);
  EXPECT_EQ(sample.sequences, 3U);
  EXPECT_EQ(sample.input_bytes, 10U);
}

}  // namespace
}  // namespace virnucpro
