#include "report/trace_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace virnucpro {
namespace {

using nlohmann::json;
using testing::StartsWith;

std::string text_of(const Trace& trace) {
  std::string text;
  write_trace(trace, [&text](std::string_view piece) { text += piece; });
  return text;
}

// Two batches, whose kernels came in any order, on a worker.
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

std::vector<json> events_of(const json& document, const std::string& category) {
  std::vector<json> found;
  for (const json& event : document["traceEvents"]) {
    if (event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

TEST(TraceJson, BeginsAsNoOtherFile) {
  EXPECT_THAT(text_of({}), StartsWith(kTraceFileStart));
  EXPECT_TRUE(json::parse(text_of({}))["traceEvents"].empty());
}

TEST(TraceJson, SaysWhatItCostAndLeftOut) {
  const json about = json::parse(text_of(sample_trace()))["otherData"];
  EXPECT_EQ(about["reached_limit"], true);
  EXPECT_EQ(about["seconds"], 0.002);
  ASSERT_EQ(about["processes"].size(), 2U);
  const json worker = {{"pid", 8},
                       {"name", "worker 0 (cuda:0)"},
                       {"kernels", "CUPTI"},
                       {"events", 6},
                       {"events_dropped", 3},
                       {"recording_seconds", 0.000002},
                       {"cupti_seconds", 1.0}};
  EXPECT_EQ(about["processes"][1], worker);
}

TEST(TraceJson, NamesProcessesAndTracks) {
  const json document = json::parse(text_of(sample_trace()));
  std::vector<std::string> names;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "M") names.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"run", "worker 0 (cuda:0)", "main 8", "GPU, stream 7",
                                             "GPU, batches"}));
}

TEST(TraceJson, HasABatchOverItsKernels) {
  const json document = json::parse(text_of(sample_trace()));
  const std::vector<json> batches = events_of(document, "batch");
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[0]["name"], "batch 0");
  EXPECT_EQ(batches[0]["ts"], 1.0);
  EXPECT_EQ(batches[0]["dur"], 1.345);
  EXPECT_EQ(batches[0]["args"], (json{{"batch", 0}, {"kernels", 2}}));
  EXPECT_EQ(batches[1]["ts"], 2.5);
  EXPECT_EQ(batches[1]["dur"], 0.5) << "its copy is no kernel";
  EXPECT_EQ(batches[1]["tid"], 3);
}

TEST(TraceJson, HasEventsInOrderAndTheirNamesAsText) {
  const json document = json::parse(text_of(sample_trace()));
  const std::vector<json> kernels = events_of(document, "kernel");
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_EQ(kernels[0]["name"], "a<\"b\">\n\xef\xbf\xbd");
  EXPECT_EQ(kernels[0]["ts"], 0.0) << "it was fitted to before the beginning";
  EXPECT_EQ(kernels[0]["dur"], 0.5);  // what is before the beginning is cut
  EXPECT_TRUE(kernels[0]["args"].empty());
  EXPECT_EQ(kernels[1]["args"]["batch"], 0);
  EXPECT_EQ(kernels[3]["args"]["batch"], 1);
  EXPECT_EQ(kernels[3]["tid"], 2);
  const std::vector<json> host = events_of(document, "host");
  ASSERT_EQ(host.size(), 1U);
  EXPECT_EQ(host[0]["ts"], 0.1);
}

}  // namespace
}  // namespace virnucpro
