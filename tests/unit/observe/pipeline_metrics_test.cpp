#include "observe/pipeline_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace virnucpro {
namespace {

using ::testing::ElementsAre;

BatchMetrics batch_of(std::uint32_t worker, double waiting, double esm2) {
  return {.batch = 0,
          .worker = worker,
          .frames = 3,
          .esm_tokens = 30,
          .dna_tokens = 10,
          .budget_tokens = 40,
          .queue_state = waiting > 0 ? QueueState::kStarved : QueueState::kFull,
          .times = {.waiting = waiting, .to_device = 5, .esm2 = esm2, .dnabert_s = 0.5}};
}

TEST(PipelineMetrics, AddUpByWorkerAndAltogether) {
  PipelineMetrics metrics;
  metrics.record(batch_of(0, 0, 1));
  metrics.record(batch_of(2, 0.25, 2));
  metrics.record(batch_of(2, 0, 4));
  const PipelineSummary summary = metrics.summary();
  EXPECT_EQ(summary.totals.batches, 3U);
  EXPECT_EQ(summary.totals.frames, 9U);
  EXPECT_EQ(summary.totals.esm_tokens, 90U);
  EXPECT_EQ(summary.totals.dna_tokens, 30U);
  EXPECT_EQ(summary.totals.budget_tokens, 120U);
  EXPECT_EQ(summary.totals.times.busy(), 8.5);  // sending overlaps with other batches
  ASSERT_EQ(summary.workers.size(), 3U);
  EXPECT_EQ(summary.workers[0].batches, 1U);
  EXPECT_EQ(summary.workers[1].batches, 0U);
  EXPECT_EQ(summary.workers[2].times.all(), 7.25);
  EXPECT_EQ(summary.computing_seconds(), 7.25) << "the others had less, or nothing, to do";
  EXPECT_THAT(summary.queue_states, ElementsAre(1, 0, 2));
  EXPECT_EQ(summary.waiting.max(), 0.25);
}

TEST(PipelineMetrics, GiveEachBatchTheTimeItCame) {
  PipelineMetrics metrics;
  std::vector<double> times;
  metrics.listen([&times](const BatchMetrics& batch) { times.push_back(batch.time); });
  const double before = metrics.seconds();
  metrics.record(batch_of(0, 0, 1));
  metrics.record(batch_of(0, 0, 1));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_LE(before, times[0]);
  EXPECT_LE(times[0], times[1]);
  EXPECT_EQ(metrics.summary().last, times[1]);
  EXPECT_LE(times[1], metrics.seconds());
}

TEST(BatchTimes, HaveANameForEach) {
  BatchTimes times;
  double value = 1;
  for (const BatchTimeField& field : kBatchTimeFields) times.*field.seconds = value *= 2;
  BatchTimes sum = times;
  add(sum, times);
  for (const BatchTimeField& field : kBatchTimeFields) {
    EXPECT_EQ(sum.*field.seconds, 2 * (times.*field.seconds)) << field.name;
  }
}

TEST(PipelineSummary, KnowsTheLoosestBatch) {
  PipelineSummary summary;
  EXPECT_FALSE(summary.least_packing);
  for (const std::uint64_t tokens : {100U, 80U, 79U, 25U, 99U}) {
    summary.add({.esm_tokens = tokens, .budget_tokens = 100});
  }
  EXPECT_EQ(summary.least_packing, 0.25);
  EXPECT_EQ(summary.loose_batches, 2U);
}

TEST(PipelineSummary, KeepsTheLastMemoryOfAWorker) {
  PipelineSummary summary;
  summary.add({.worker = 1, .memory = WorkerMemory{.used = 5}});
  summary.add({.worker = 1, .memory = WorkerMemory{.used = 7}});
  summary.add({.worker = 1});
  EXPECT_EQ(summary.workers[1].memory->used, 7U);
  EXPECT_FALSE(summary.workers[0].memory);
}

}  // namespace
}  // namespace virnucpro
