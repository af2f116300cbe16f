#include "observe/trace.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "unit/engine/tiny_models.hpp"

namespace virnucpro {
namespace {

struct Window {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The times of the spans with that name, by batch.
std::map<std::uint64_t, Window> windows(const TracePart& part, const std::string& name) {
  std::map<std::uint64_t, Window> found;
  for (const TraceEvent& event : part.events) {
    if (part.names[event.name].text == name) found[event.batch] = {event.begin, event.end};
  }
  return found;
}

TracePart trace_of_batches(std::uint64_t count) {
  const Cancel cancel;
  const auto engine = make_engine(
      tiny_models(), {.precisions = {Precision::kFp16}, .gpu = 0, .token_budget = 2048}, cancel);
  std::mt19937 random(3);
  std::vector<FrameTokens> frames;
  for (int i = 0; i < 12; ++i) frames.push_back(random_frame(random, 100));
  // Two batches in progress, as in a worker.
  for (std::uint64_t batch = 0; batch <= count; ++batch) {
    BatchRequest request = request_of(batch, frames);
    request.batch = batch;
    if (batch < count) engine->begin(request);
    if (batch > 0) static_cast<void>(engine->finish());
  }
  Tracer::here().stop();
  return Tracer::here().drain();
}

// Uses the CUPTI that the loader finds, or that VIRNUCPRO_CUPTI names.
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
