#include "observe/cupti.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "observe/trace_part.hpp"
#include "unit/observe/fake_gpu.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

std::vector<std::uint64_t> batches_of(const std::vector<GpuActivity>& activities) {
  std::vector<std::uint64_t> batches;
  for (const GpuActivity& activity : activities) batches.push_back(activity.batch);
  return batches;
}

struct MeasuredGpu : testing::Test {
  void launch(std::uint64_t batch, std::uint64_t begin) {
    cupti.begin_launches(batch);
    gpu.kernel("kernel", 7, begin, begin + 10);
    cupti.end_launches();
  }

  FakeGpu gpu;
  Cupti cupti{VIRNUCPRO_FAKE_CUPTI};
};

TEST(Cupti, SaysThatThereIsNone) {
  Cupti cupti("/nowhere/libcupti.so");
  EXPECT_THAT(cupti.failure(), HasSubstr("/nowhere/libcupti.so"));
  EXPECT_EQ(cupti.version(), "");
  cupti.begin_launches(1);
  cupti.end_launches();
  EXPECT_TRUE(cupti.drain().empty());
}

TEST(Cupti, SaysWhatAnOldOneLacks) {
  const Cupti cupti(VIRNUCPRO_FAKE_OLD_CUPTI);
  EXPECT_THAT(cupti.failure(), HasSubstr("cuptiActivityRegisterTimestampCallback"));
}

TEST(Cupti, SaysWhyOneDoesNotMeasure) {
  FakeGpu gpu(cupti::kConcurrentKernel);
  const Cupti cupti(VIRNUCPRO_FAKE_CUPTI);
  EXPECT_EQ(cupti.failure(), "cuptiActivityEnable: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
  EXPECT_EQ(gpu.enabled_kinds(), 0);
}

TEST_F(MeasuredGpu, TellsWhatTheGpuDidForWhom) {
  ASSERT_EQ(cupti.failure(), "");
  EXPECT_EQ(cupti.version(), "130001");
  cupti.begin_launches(5);
  gpu.copy(1, 8, 1000, 1100);
  gpu.kernel("_ZN9virnucpro4cuda4gemmIfEEvPT_", 7, 1200, 1300);
  cupti.end_launches();
  cupti.begin_launches(6);
  gpu.memset(7, 1300, 1400);
  cupti.end_launches();
  const std::vector<GpuActivity> activities = cupti.drain();
  ASSERT_EQ(activities.size(), 3U);
  EXPECT_EQ(batches_of(activities), (std::vector<std::uint64_t>{5, 5, 6}));
  EXPECT_EQ(activities[0].kind, TraceKind::kCopy);
  EXPECT_EQ(activities[0].name, "copy to the GPU");
  EXPECT_EQ(activities[0].stream, 8U);
  EXPECT_EQ(activities[1].kind, TraceKind::kKernel);
  EXPECT_EQ(activities[1].name, "virnucpro::cuda::gemm<float>");
  EXPECT_EQ(activities[1].stream, 7U);
  EXPECT_EQ(activities[1].begin, 1200U);
  EXPECT_EQ(activities[1].end, 1300U);
  EXPECT_EQ(activities[2].name, "memset");
  EXPECT_TRUE(cupti.drain().empty());
}

TEST_F(MeasuredGpu, FindsABatchThatIsToldAfterItsKernel) {
  cupti.begin_launches(3);
  gpu.hasty_kernel("kernel", 7, 10, 20);
  cupti.end_launches();
  EXPECT_EQ(batches_of(cupti.drain()), (std::vector<std::uint64_t>{3}));
}

TEST_F(MeasuredGpu, TellsOfWhatBelongsToNoBatchOnce) {
  gpu.kernel("kernel", 7, 10, 20);
  EXPECT_TRUE(cupti.drain().empty()) << "its batch may come with the next";
  EXPECT_EQ(batches_of(cupti.drain()), (std::vector<std::uint64_t>{kNoBatch}));
  EXPECT_TRUE(cupti.drain().empty());
  gpu.kernel("kernel", 7, 30, 40);
  cupti.stop();
  EXPECT_EQ(batches_of(cupti.drain()), (std::vector<std::uint64_t>{kNoBatch}));
}

TEST_F(MeasuredGpu, LeavesOutWhatHasNotEnded) {
  launch(1, 10);
  gpu.kernel("running", 7, 30, 0);
  EXPECT_EQ(cupti.drain().size(), 1U);
  cupti.stop();
  EXPECT_TRUE(cupti.drain().empty());
}

TEST_F(MeasuredGpu, MeasuresNoMoreOnceStopped) {
  EXPECT_GT(gpu.enabled_kinds(), 0);
  cupti.stop();
  EXPECT_EQ(gpu.enabled_kinds(), 0);
  launch(1, 10);
  EXPECT_TRUE(cupti.drain().empty());
}

TEST_F(MeasuredGpu, TakesMoreThanABufferHolds) {
  constexpr std::uint64_t kKernels = 1300;
  for (std::uint64_t i = 0; i < kKernels; ++i) launch(i, 100 * i + 1);
  const std::vector<GpuActivity> activities = cupti.drain();
  ASSERT_EQ(activities.size(), kKernels);
  EXPECT_EQ(activities.back().batch, kKernels - 1);
}

TEST_F(MeasuredGpu, GivesItTheClockOfTraces) {
  const std::uint64_t before = trace_now();
  const std::uint64_t time = gpu.clock();
  EXPECT_LE(before, time);
  EXPECT_LE(time, trace_now());
}

TEST_F(MeasuredGpu, TellsItsCosts) {
  gpu.overhead(1000, 4000);
  launch(1, 10);
  EXPECT_EQ(cupti.drain().size(), 1U);
  const Cupti::Costs costs = cupti.drain_costs();
  EXPECT_EQ(costs.cupti, 3000U);
  EXPECT_GT(costs.recording, 0U);
  EXPECT_EQ(cupti.drain_costs().recording, 0U);
}

TEST(KernelName, IsReadable) {
  EXPECT_EQ(short_kernel_name("_ZN9virnucpro4cuda4gemmIfEEvPT_"), "virnucpro::cuda::gemm<float>");
  EXPECT_EQ(short_kernel_name("_ZN12_GLOBAL__N_13addEPfS0_"), "(anonymous namespace)::add");
  EXPECT_EQ(short_kernel_name("plain"), "plain");
  EXPECT_EQ(short_kernel_name(std::string(999, 'a').c_str()).size(), kLongestTraceText);
}

}  // namespace
}  // namespace virnucpro
