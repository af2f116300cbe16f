#include "telemetry/trace_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string text_of(const Trace& trace) {
  std::string text;
  write_trace(trace, [&text](std::string_view piece) { text += piece; });
  return text;
}

// A worker's two batches, with kernels not in order.
Trace sample_trace() {
  TracePart part{
      .names = {{"enqueue", TraceKind::kHost},
                {"a<\"b\">\n\xff", TraceKind::kKernel},
                {"copy", TraceKind::kCopy}},
      .tracks = {"main 8", "GPU, stream 7"},
      .events = {{.begin = 1'002'500, .end = 1'003'000, .batch = 1, .name = 1, .track = 1},
                 {.begin = 1'001'000, .end = 1'002'000, .batch = 0, .name = 1, .track = 1},
                 {.begin = 1'002'000, .end = 1'002'345, .batch = 0, .name = 1, .track = 1},
                 {.begin = 1'003'000, .end = 1'004'000, .batch = 1, .name = 2, .track = 1},
                 {.begin = 999'000, .end = 1'000'500, .batch = kNoBatch, .name = 1, .track = 1},
                 {.begin = 1'000'100, .end = 1'000'900, .batch = 0, .name = 0, .track = 0}},
      .dropped = 3,
      .recording_time = 2'000,
      .cupti_time = 1'000'000'000,
      .kernels = "CUPTI"};
  Trace trace{.begin = 1'000'000, .end = 3'000'000, .reached_limit = true};
  trace.processes.push_back({.id = 7, .name = "run", .part = {}});
  trace.processes.push_back({.id = 8, .name = "worker 0 (cuda:0)", .part = std::move(part)});
  return trace;
}

JsonValues values_of(const Trace& trace) {
  return {text_of(trace), "trace.json"};
}

// The paths of a category's events, such as "traceEvents/3/".
std::vector<std::string> events_of(const JsonValues& document, const std::string& category) {
  std::vector<std::string> found;
  for (std::size_t k = 0; k < document.elements("traceEvents"); ++k) {
    const std::string event = fmt::format("traceEvents/{}/", k);
    if (document.text(event + "cat") == category) found.push_back(event);
  }
  return found;
}

TEST(TraceJson, BeginsAsNoOtherFile) {
  EXPECT_THAT(text_of({}), StartsWith(kTraceFileStart));
  EXPECT_TRUE(text_of({}).ends_with("\"traceEvents\":[\n]}\n"));
  EXPECT_EQ(values_of({}).elements("traceEvents"), 0U);
}

TEST(TraceJson, SaysWhatItCostAndLeftOut) {
  const std::string text = text_of(sample_trace());
  const JsonValues document(text, "trace.json");
  EXPECT_EQ(document.flag("otherData/reached_limit"), true);
  EXPECT_EQ(document.number("otherData/seconds"), 0.002);
  EXPECT_EQ(document.elements("otherData/processes"), 2U);
  EXPECT_THAT(text, HasSubstr(R"_({"pid":8,"name":"worker 0 (cuda:0)","kernels":"CUPTI",)_"
                              R"_("events":6,"events_dropped":3,)_"
                              R"_("recording_seconds":0.000002,"cupti_seconds":1.000000})_"));
}

TEST(TraceJson, NamesProcessesAndTracks) {
  const JsonValues document = values_of(sample_trace());
  std::vector<std::string> names;
  for (std::size_t k = 0; k < document.elements("traceEvents"); ++k) {
    const std::string event = fmt::format("traceEvents/{}/", k);
    if (document.text(event + "ph") == "M") names.push_back(*document.text(event + "args/name"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"run", "worker 0 (cuda:0)", "main 8", "GPU, stream 7",
                                             "GPU, batches"}));
}

TEST(TraceJson, HasABatchOverItsKernels) {
  const JsonValues document = values_of(sample_trace());
  const std::vector<std::string> batches = events_of(document, "batch");
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(document.text(batches[0] + "name"), "batch 0");
  EXPECT_EQ(document.number(batches[0] + "ts"), 1.0);
  EXPECT_EQ(document.number(batches[0] + "dur"), 1.345);
  EXPECT_EQ(document.number(batches[0] + "args/batch"), 0);
  EXPECT_EQ(document.number(batches[0] + "args/kernels"), 2);
  EXPECT_EQ(document.number(batches[1] + "ts"), 2.5);
  EXPECT_EQ(document.number(batches[1] + "dur"), 0.5) << "its copy is no kernel";
  EXPECT_EQ(document.number(batches[1] + "tid"), 3);
}

TEST(TraceJson, HasEventsInOrderAndTheirNamesAsText) {
  const JsonValues document = values_of(sample_trace());
  const std::vector<std::string> kernels = events_of(document, "kernel");
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_EQ(document.text(kernels[0] + "name"), "a<\"b\">\\x0a\xef\xbf\xbd");  // as text() shows it
  EXPECT_EQ(document.number(kernels[0] + "ts"), 0.0) << "it was fitted to before the beginning";
  EXPECT_EQ(document.number(kernels[0] + "dur"), 0.5);  // cut at the beginning
  EXPECT_FALSE(document.number(kernels[0] + "args/batch"));
  EXPECT_EQ(document.number(kernels[1] + "args/batch"), 0);
  EXPECT_EQ(document.number(kernels[3] + "args/batch"), 1);
  EXPECT_EQ(document.number(kernels[3] + "tid"), 2);
  const std::vector<std::string> host = events_of(document, "host");
  ASSERT_EQ(host.size(), 1U);
  EXPECT_EQ(document.number(host[0] + "ts"), 0.1);
}

}  // namespace
}  // namespace virnucpro
