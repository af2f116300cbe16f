#include "observe/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/threads.hpp"
#include "unit/observe/fake_gpu.hpp"

namespace virnucpro {
namespace {

using testing::StartsWith;

Tracer& tracer() {
  return Tracer::here();
}

std::vector<std::string> names_of(const TracePart& part) {
  std::vector<std::string> names;
  for (const TraceEvent& event : part.events) names.push_back(part.names[event.name].text);
  return names;
}

std::set<std::uint64_t> batches_of(const TracePart& part) {
  std::set<std::uint64_t> batches;
  for (const TraceEvent& event : part.events) batches.insert(event.batch);
  return batches;
}

struct Started : testing::Test {
  Started() { tracer().start({}); }
};

TracePart stopped() {
  tracer().stop();
  return tracer().drain();
}

TEST_F(Started, HasSpansInsideOfEachOther) {
  {
    const TraceSpan outer("outer", 4);
    const TraceSpan inner("inner");
  }
  const TracePart part = stopped();
  ASSERT_EQ(names_of(part), (std::vector<std::string>{"inner", "outer"}));
  const TraceEvent& inner = part.events[0];
  const TraceEvent& outer = part.events[1];
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_LE(inner.end, outer.end);
  EXPECT_EQ(inner.batch, kNoBatch);
  EXPECT_EQ(outer.batch, 4U);
  EXPECT_EQ(inner.track, outer.track);
  EXPECT_GT(part.recording_time, 0U);
}

TEST_F(Started, IsSilentWhileItIsOff) {
  const TraceSpan before("before");
  tracer().stop();
  { const TraceSpan span("after"); }
  EXPECT_FALSE(tracer().admit(0));
  EXPECT_TRUE(tracer().drain().events.empty());
}

TEST_F(Started, ForgetsTheOneBefore) {
  std::optional<TraceSpan> spanning;
  spanning.emplace("begun before");
  { const TraceSpan span("old"); }
  tracer().start({});
  spanning.reset();
  { const TraceSpan span("new"); }
  EXPECT_EQ(names_of(stopped()), (std::vector<std::string>{"new"}));
}

TEST_F(Started, NamesThreads) {
  std::thread([] {
    name_thread("journal");
    const TraceSpan span("write");
  }).join();
  const TracePart part = stopped();
  ASSERT_EQ(part.tracks.size(), 1U);
  EXPECT_THAT(part.tracks[0], StartsWith("journal "));
}

TEST_F(Started, TakesSpansOfManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 1000; ++k) const TraceSpan span("work");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stopped().events.size(), 4000U);
}

TEST(Trace, EndsWithTheResultsOfItsLastBatch) {
  tracer().start({.limit = {.batches = 2}});
  EXPECT_TRUE(tracer().admit(0));
  EXPECT_TRUE(tracer().admit(1));
  EXPECT_FALSE(tracer().admit(2));
  tracer().finish(1);
  EXPECT_FALSE(tracer().has_reached_limit());
  { const TraceSpan span("of the last", 0); }
  { const TraceSpan span("beyond", 2); }
  tracer().finish(0);
  EXPECT_TRUE(tracer().has_reached_limit());
  EXPECT_FALSE(tracer().is_on());
  EXPECT_EQ(names_of(tracer().drain_all().processes[0].part),
            (std::vector<std::string>{"of the last"}));
}

TEST(Trace, LeavesOutWhatWasDoneForABatchBeyondItsLimit) {
  tracer().start({.limit = {.batches = 1}});
  EXPECT_TRUE(tracer().admit(0));
  { const TraceSpan span("pack", 1); }
  EXPECT_FALSE(tracer().admit(1));
  tracer().stop();
  const Trace trace = tracer().drain_all();
  EXPECT_FALSE(trace.reached_limit);
  EXPECT_TRUE(trace.processes[0].part.events.empty());
}

TEST(Trace, CountsSecondsFromTheFirstBatch) {
  tracer().start({.limit = {.seconds = 0.05}});
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  EXPECT_TRUE(tracer().admit(0));
  tracer().finish(0);
  EXPECT_TRUE(tracer().is_on());
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  EXPECT_FALSE(tracer().admit(1));
  tracer().finish(1);
  EXPECT_TRUE(tracer().has_reached_limit());
}

TEST_F(Started, JoinsWhatOtherProcessesSend) {
  TracePart first{.names = {{"load", TraceKind::kHost}},
                  .tracks = {"main 8"},
                  .events = {{.begin = 1, .end = 2}},
                  .kernels = "CUPTI"};
  TracePart second{.names = {{"compute", TraceKind::kHost}, {"load", TraceKind::kHost}},
                   .tracks = {"other 9", "main 8"},
                   .events = {{.begin = 3, .end = 4, .batch = 7, .name = 0, .track = 1}},
                   .dropped = 2};
  tracer().add(8, "worker 0", first);
  tracer().add(9, "worker 1", first);
  tracer().add(8, "worker 0", second);
  tracer().stop();
  const Trace trace = tracer().drain_all();
  ASSERT_EQ(trace.processes.size(), 3U);
  EXPECT_EQ(trace.processes[1].id, 8);
  EXPECT_EQ(trace.processes[1].name, "worker 0");
  const TracePart& joined = trace.processes[1].part;
  EXPECT_EQ(names_of(joined), (std::vector<std::string>{"load", "compute"}));
  EXPECT_EQ(joined.events[0].track, joined.events[1].track);
  EXPECT_EQ(joined.dropped, 2U);
  EXPECT_EQ(joined.kernels, "CUPTI");
  tracer().add(8, "worker 0", first);
  EXPECT_EQ(tracer().drain_all().processes.size(), 1U) << "it came too late";
}

TEST(Trace, HasTheKernelsOfItsGpu) {
  FakeGpu gpu;
  tracer().start({.limit = {}, .cupti = VIRNUCPRO_FAKE_CUPTI});
  tracer().trace_kernels();
  {
    const TraceSpan span("enqueue", 12);
    const TracedLaunches launches(12);
    const std::uint64_t now = trace_now();
    gpu.kernel("kernel", 7, now, now + 5);
  }
  gpu.kernel("nobody's", 7, 5, 6);
  TracePart part = tracer().drain();
  EXPECT_EQ(part.kernels, "CUPTI, API version 130001");
  ASSERT_EQ(names_of(part), (std::vector<std::string>{"enqueue", "kernel"}));
  EXPECT_EQ(part.names[part.events[1].name].kind, TraceKind::kKernel);
  EXPECT_EQ(part.tracks[part.events[1].track], "GPU, stream 7");
  EXPECT_EQ(batches_of(part), (std::set<std::uint64_t>{12}));
  EXPECT_GE(part.events[1].begin, part.events[0].begin);
  EXPECT_EQ(names_of(stopped()), (std::vector<std::string>{"nobody's"}));
  EXPECT_EQ(gpu.enabled_kinds(), 0);
}

TEST(Trace, HasItsSpansWithoutALibraryOfKernels) {
  tracer().start({.limit = {}, .cupti = "/nowhere/libcupti.so"});
  tracer().trace_kernels();
  {
    const TraceSpan span("enqueue", 1);
    const TracedLaunches launches(1);
  }
  const TracePart part = tracer().drain();
  tracer().stop();
  EXPECT_THAT(part.kernels, StartsWith("none: "));
  EXPECT_EQ(part.events.size(), 1U);
}

TEST(TraceStore, KeepsToItsBounds) {
  TraceStore store;
  const TraceEvent event{.begin = 1, .end = 2};
  for (std::size_t i = 0; i < kMostTraceEvents + 3; ++i) {
    store.add("main", "work", TraceKind::kHost, event);
  }
  TracePart part = store.drain();
  EXPECT_EQ(part.events.size(), kMostTraceEvents);
  EXPECT_EQ(part.dropped, 3U);
  for (std::size_t i = 0; i < kMostTraceNames + 2; ++i) {
    store.add("main", std::to_string(i), TraceKind::kHost, event);
  }
  for (std::size_t i = 0; i < kMostTraceTracks + 2; ++i) {
    store.add(std::to_string(i), "work", TraceKind::kHost, event);
  }
  store.add("main", std::string(9999, 'a'), TraceKind::kHost, event);
  part = store.drain();
  EXPECT_EQ(part.names.size(), kMostTraceNames);
  EXPECT_EQ(part.tracks.size(), kMostTraceTracks);
  EXPECT_EQ(part.dropped, 3U + 3U + 1U);
}

TEST(TraceStore, TellsANameOfTheHostFromAKernels) {
  TraceStore store;
  store.add("main", "copy", TraceKind::kHost, {.begin = 1, .end = 2});
  store.add("GPU", "copy", TraceKind::kCopy, {.begin = 1, .end = 2});
  const TracePart part = store.drain();
  ASSERT_EQ(part.names.size(), 2U);
  EXPECT_EQ(part.names[1].kind, TraceKind::kCopy);
}

}  // namespace
}  // namespace virnucpro
