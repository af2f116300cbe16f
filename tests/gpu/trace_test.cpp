#include "observe/trace.hpp"

#include <cupti.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "observe/cupti_records.hpp"
#include "unit/engine/tiny_models.hpp"

namespace virnucpro {
namespace {

// What observe/cupti_records.hpp declares has the places of CUPTI's own records, old and new.
template <typename Kernel>
constexpr bool has_places_of_a_kernel() {
  using Ours = cupti::KernelRecord;
  return offsetof(Kernel, start) == offsetof(Ours, start) &&
         offsetof(Kernel, end) == offsetof(Ours, end) &&
         offsetof(Kernel, streamId) == offsetof(Ours, stream) &&
         offsetof(Kernel, correlationId) == offsetof(Ours, correlation) &&
         offsetof(Kernel, name) == offsetof(Ours, name);
}
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel4>());
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel7>());
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel9>());
static_assert(has_places_of_a_kernel<CUpti_ActivityKernel10>());

template <typename Copy>
constexpr bool has_places_of_a_copy() {
  using Ours = cupti::CopyRecord;
  return offsetof(Copy, start) == offsetof(Ours, start) &&
         offsetof(Copy, end) == offsetof(Ours, end) &&
         offsetof(Copy, streamId) == offsetof(Ours, stream) &&
         offsetof(Copy, correlationId) == offsetof(Ours, correlation);
}
static_assert(has_places_of_a_copy<CUpti_ActivityMemcpy>());
static_assert(has_places_of_a_copy<CUpti_ActivityMemcpy6>());
static_assert(has_places_of_a_copy<CUpti_ActivityMemset>());
static_assert(has_places_of_a_copy<CUpti_ActivityMemset4>());
static_assert(offsetof(CUpti_ActivityMemcpy6, copyKind) == offsetof(cupti::CopyRecord, copy_kind));

static_assert(offsetof(CUpti_ActivityExternalCorrelation, externalKind) ==
              offsetof(cupti::CorrelationRecord, external_kind));
static_assert(offsetof(CUpti_ActivityExternalCorrelation, externalId) ==
              offsetof(cupti::CorrelationRecord, external));
static_assert(offsetof(CUpti_ActivityExternalCorrelation, correlationId) ==
              offsetof(cupti::CorrelationRecord, correlation));
static_assert(offsetof(CUpti_ActivityOverhead, start) == offsetof(cupti::OverheadRecord, start));
static_assert(offsetof(CUpti_ActivityOverhead3, end) == offsetof(cupti::OverheadRecord, end));

static_assert(CUPTI_ACTIVITY_KIND_MEMCPY == cupti::kMemcpy);
static_assert(CUPTI_ACTIVITY_KIND_MEMSET == cupti::kMemset);
static_assert(CUPTI_ACTIVITY_KIND_RUNTIME == cupti::kRuntime);
static_assert(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == cupti::kConcurrentKernel);
static_assert(CUPTI_ACTIVITY_KIND_OVERHEAD == cupti::kOverhead);
static_assert(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION == cupti::kExternalCorrelation);
static_assert(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 == cupti::kOwnCorrelation);
static_assert(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED == cupti::kFlushForced);

struct Window {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Of the spans of that name, by batch.
std::map<std::uint64_t, Window> windows(const TracePart& part, const std::string& name) {
  std::map<std::uint64_t, Window> found;
  for (const TraceEvent& event : part.events) {
    if (part.names[event.name].text == name) found[event.batch] = {event.begin, event.end};
  }
  return found;
}

TracePart trace_of_batches(std::uint64_t count) {
  Engine engine(tiny_models(), {.precision = Precision::kFp16, .gpu = 0, .token_budget = 2048},
                Cancel());
  std::mt19937 random(3);
  std::vector<FrameTokens> frames;
  for (int i = 0; i < 12; ++i) frames.push_back(random_frame(random, 100));
  // Two under way, as a worker has them.
  for (std::uint64_t batch = 0; batch <= count; ++batch) {
    BatchRequest request = request_of(batch, frames);
    request.batch = batch;
    if (batch < count) engine.begin(request);
    if (batch > 0) static_cast<void>(engine.finish());
  }
  Tracer::here().stop();
  return Tracer::here().take();
}

// With CUPTI where the loader finds it, or where VIRNUCPRO_CUPTI says.
TEST(TracedGpu, HasKernelsUnderTheirBatches) {
  const char* const library = ::getenv("VIRNUCPRO_CUPTI");
  Tracer::here().start({.limit = {}, .cupti = library == nullptr ? "" : library});
  Tracer::here().trace_kernels();
  constexpr std::uint64_t kBatches = 6;
  const TracePart part = trace_of_batches(kBatches);
  ASSERT_TRUE(part.kernels.starts_with("CUPTI")) << part.kernels;
  EXPECT_EQ(part.dropped, 0U);
  const auto enqueued = windows(part, "enqueue");
  const auto waited = windows(part, "wait for the GPU");
  std::map<std::uint64_t, int> kernels;
  constexpr std::uint64_t kClockError = 200'000;  // nanoseconds
  for (const TraceEvent& event : part.events) {
    if (part.names[event.name].kind == TraceKind::kHost || event.batch == kNoBatch) continue;
    EXPECT_GE(event.begin + kClockError, enqueued.at(event.batch).begin);
    EXPECT_LE(event.end, waited.at(event.batch).end + kClockError);
    if (part.names[event.name].kind == TraceKind::kKernel) ++kernels[event.batch];
  }
  ASSERT_EQ(kernels.size(), kBatches);
  for (const auto& [batch, count] : kernels) EXPECT_EQ(count, kernels.at(0)) << batch;
  EXPECT_GT(kernels.at(0), 20);
}

}  // namespace
}  // namespace virnucpro
