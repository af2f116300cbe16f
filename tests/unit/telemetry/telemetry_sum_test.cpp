#include "telemetry/telemetry_sum.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const SystemTime kOrigin{std::chrono::seconds(1'700'000'000)};

// It begins so many seconds after the first, is ready after 10 s, and computes 100 tokens a second.
MeasuredSession session(int begin, double seconds, double computing,
                        const std::string& host = "a") {
  MeasuredSession one{.started = kOrigin + std::chrono::seconds(begin), .has_summary = true};
  RunTelemetry& telemetry = one.telemetry;
  telemetry.run = {.status = "finished", .seconds = seconds, .models_ready_seconds = 10.0};
  telemetry.machine.host = host;
  telemetry.machine.processors = 8;
  telemetry.settings.chunk_size = 500;
  const auto tokens = static_cast<std::uint64_t>(100 * computing);
  telemetry.workload = {.sequences = 7, .sequences_scored = 7};
  telemetry.workload.esm_tokens = tokens;
  telemetry.workload.dna_tokens = tokens;
  telemetry.workload.batches = 2;
  telemetry.throughput.esm_tokens_per_second = 100.0;
  telemetry.throughput.over_time = {.interval_seconds = 1.0, .esm_tokens = {0, tokens}};
  return one;
}

void add_gpu(MeasuredSession& one, const char* uuid) {
  RunTelemetry& telemetry = one.telemetry;
  telemetry.machine.devices.push_back({.id = "cuda:0", .uuid = uuid, .name = "H200"});
  telemetry.workers.push_back({.name = "cuda:0", .batches = 2, .busy_seconds = 3.0});
  RunTelemetry::Device device{.id = "cuda:0", .rows = 1};
  device.phases.push_back({{}, "embedding"});
  device.phases[0].power_w = {.average = 100, .minimum = 100, .maximum = 100, .samples = 1};
  telemetry.devices.push_back(device);
}

TEST(TelemetrySum, AddsRatesOfShardsSideBySide) {
  TelemetrySum sum(kOrigin);
  sum.add("0/2", "p0", {session(0, 100, 50)});
  sum.add("1/2", "p1", {session(0, 100, 50)});
  const RunTelemetry whole = sum.whole();
  EXPECT_EQ(whole.run.seconds, 100);
  EXPECT_EQ(whole.throughput.esm_tokens_per_second, 200);
  EXPECT_EQ(whole.throughput.tokens_per_second, 400);
  EXPECT_EQ(whole.workload.sequences_scored, 14U);
  EXPECT_EQ(whole.throughput.sequences_per_second, 14.0 / 50);
  EXPECT_THAT(whole.throughput.over_time.esm_tokens, ElementsAre(0, 10'000));
}

TEST(TelemetrySum, DoesNotCountTheTimeBetweenShards) {
  TelemetrySum sum(kOrigin);
  sum.add("0/2", "p0", {session(0, 100, 50)});
  sum.add("1/2", "p1", {session(100'000, 60, 25)});
  const RunTelemetry whole = sum.whole();
  EXPECT_EQ(whole.run.seconds, 160);
  EXPECT_EQ(whole.throughput.esm_tokens_per_second, 100);
}

TEST(TelemetrySum, CountsTimeThatOverlapsOnce) {
  TelemetrySum sum(kOrigin);
  sum.add("0/3", "p0", {session(0, 100, 80)});
  sum.add("1/3", "p1", {session(50, 100, 80)});
  sum.add("2/3", "p2", {session(60, 20, 5)});  // within both
  const RunTelemetry whole = sum.whole();
  EXPECT_EQ(whole.run.seconds, 150);
  EXPECT_EQ(whole.throughput.esm_tokens_per_second, 16'500.0 / 130);
}

TEST(TelemetrySum, CountsWhatWasReadOnceAndWhatWasComputedAlways) {
  MeasuredSession stopped = session(0, 40, 20);
  stopped.telemetry.run.status = "interrupted";
  stopped.telemetry.workload.sequences = 3;
  TelemetrySum sum(kOrigin);
  sum.add("0/1", "p0", {stopped, session(100, 40, 20)});
  const RunTelemetry whole = sum.whole();
  EXPECT_EQ(whole.workload.sequences, 7U);
  EXPECT_EQ(whole.workload.esm_tokens, 4'000U);
  EXPECT_EQ(whole.shards->front().sessions, 2U);
  EXPECT_EQ(whole.shards->front().seconds, 80);
}

TEST(TelemetrySum, TellsGpusOfOneNameApart) {
  std::vector<MeasuredSession> sessions{session(0, 100, 50, "a"), session(0, 100, 50, "a"),
                                        session(0, 100, 50, "b"), session(200, 100, 50, "b")};
  add_gpu(sessions[0], "GPU-1");
  add_gpu(sessions[1], "GPU-2");
  add_gpu(sessions[2], "GPU-3");
  add_gpu(sessions[3], "GPU-3");
  TelemetrySum sum(kOrigin);
  for (const MeasuredSession& one : sessions) sum.add("", "", {one});
  const RunTelemetry whole = sum.whole();
  std::vector<std::string> ids;
  for (const auto& device : whole.machine.devices) ids.push_back(device.id.value());
  EXPECT_THAT(ids, ElementsAre("a:cuda:0 GPU-1", "a:cuda:0 GPU-2", "b:cuda:0"));
  ASSERT_EQ(whole.workers.size(), 3U);
  EXPECT_EQ(whole.workers[2].batches, 4U);
  EXPECT_EQ(whole.devices[2].phases[0].power_w.samples, 2U);
  EXPECT_EQ(whole.machine.host, "a, b");
  EXPECT_EQ(whole.machine.processors, 16U);
}

// Its lines and its log do not say where it ran.
TEST(TelemetrySum, TakesAKilledSessionForOneOfTheSameHost) {
  MeasuredSession killed = session(0, 60, 20);
  killed.has_summary = false;
  killed.telemetry.run = {.seconds = 60.0};
  killed.telemetry.machine = {};
  MeasuredSession last = session(100, 100, 50);
  killed.telemetry.workers.push_back({.name = "cuda:0", .batches = 1});
  add_gpu(last, "GPU-1");
  TelemetrySum sum(kOrigin);
  sum.add("0/1", "p0", {killed, last});
  const RunTelemetry whole = sum.whole();
  EXPECT_EQ(whole.machine.host, "a");
  EXPECT_EQ(whole.run.seconds, 160);
  EXPECT_EQ(whole.throughput.esm_tokens_per_second, 100);
  EXPECT_EQ(whole.workers.size(), 1U);
}

TEST(TelemetrySum, KeepsTheWorstVerdict) {
  const auto judged = [](const char* status, double value) {
    MeasuredSession one = session(0, 100, 50);
    one.telemetry.verdicts = {{.id = "PERF-02", .status = status, .detail = "x", .value = value}};
    return one;
  };
  TelemetrySum sum(kOrigin);
  sum.add("0/4", "p0", {judged("PASS", 90)});
  sum.add("1/4", "p1", {judged("MISS", 10)});
  sum.add("2/4", "p2", {judged("MISS", 20)});
  sum.add("3/4", "p3", {});
  const RunTelemetry whole = sum.whole();
  ASSERT_EQ(whole.verdicts.size(), 1U);
  EXPECT_EQ(whole.verdicts[0].status, "MISS");
  EXPECT_EQ(whole.verdicts[0].value, 10);
  EXPECT_EQ(whole.verdicts[0].detail, "MISS in 2 of 4 shards, first in shard 1/4: x");
  EXPECT_EQ(whole.shards->back().sessions, 0U);
}

TEST(TelemetrySum, WeighsErrorsOfLogitsByFrames) {
  MeasuredSession a = session(0, 100, 50);
  MeasuredSession b = a;
  a.telemetry.shadow = {.frames = 1, .logit_mean = 1.0, .logit_rms = 1.0, .centred_cosine = 0.9};
  b.telemetry.shadow = {.frames = 3, .logit_mean = 3.0, .logit_rms = 3.0, .centred_cosine = 0.8};
  TelemetrySum sum(kOrigin);
  sum.add("0/2", "p0", {a});
  sum.add("1/2", "p1", {b});
  const RunTelemetry::Shadow shadow = sum.whole().shadow;
  EXPECT_EQ(shadow.frames, 4U);
  EXPECT_DOUBLE_EQ(shadow.logit_mean.value(), 2.5);
  EXPECT_DOUBLE_EQ(shadow.logit_rms.value(), std::sqrt(7.0));
  EXPECT_EQ(shadow.centred_cosine, 0.8);
  EXPECT_THAT(sum.whole().verdicts, IsEmpty());
}

// A session of a shard has this text, with a number instead of each @; two such sessions of two
// shards are summed.
struct Rule {
  std::string session;
  const char* field;
  double first;
  double second;
  double whole;
};

class RulesOfFields : public testing::TestWithParam<Rule> {};

TEST_P(RulesOfFields, PutTwoSessionsTogether) {
  const Rule& rule = GetParam();
  TelemetrySum sum(kOrigin);
  for (const double value : {rule.first, rule.second}) {
    std::string text;
    for (const char letter : rule.session) {
      text += letter == '@' ? fmt::format("{}", value) : std::string(1, letter);
    }
    MeasuredSession one{.started = kOrigin, .telemetry = *parse_run_telemetry(text, "session")};
    one.telemetry.run.status = "finished";
    sum.add("0/2", "p", {one});
  }
  const std::string whole = telemetry_json(sum.whole());
  EXPECT_EQ(JsonValues(whole, "whole").number(rule.field), rule.whole) << rule.field << whole;
}

std::string of_worker(const char* field) {
  return fmt::format(R"({{"workers": [{{"{}": @}}]}})", field);
}

std::string of_statistic(const char* before, const char* field, const char* after) {
  return fmt::format(R"({}"{}": {{"average": @, "minimum": @, "maximum": @, "samples": @}}{})",
                     before, field, after);
}

std::string of_gpu(const char* gauge) {
  return of_statistic(R"({"devices": [{"phases": [{"phase": "esm2", )", gauge, "}]}]}");
}

INSTANTIATE_TEST_SUITE_P(
    All, RulesOfFields,
    testing::Values(
        Rule{R"({"run": {"models_ready_seconds": @}})", "run/models_ready_seconds", 3, 4, 4},
        Rule{R"({"workload": {"bases": @}})", "workload/bases", 3, 4, 7},
        Rule{R"({"workload": {"batches": @}})", "workload/batches", 3, 4, 7},
        Rule{R"({"workload": {"dna_tokens": @}})", "workload/dna_tokens", 3, 4, 7},
        Rule{R"({"close_calls": {"changed": @}})", "close_calls/changed", 3, 4, 7},
        Rule{R"({"shadow": {"changed_low": @}})", "shadow/changed_low", 0.25, 0.5, 0.75},
        Rule{R"({"shadow": {"logit_largest": @}})", "shadow/logit_largest", 4, 3, 4},
        Rule{R"({"shadow": {"centred_cosine": @}})", "shadow/centred_cosine", 0.5, 0.75, 0.5},
        Rule{R"({"shadow": {"strata": [{"sampled": @}]}})", "shadow/strata/0/sampled", 3, 4, 7},
        Rule{R"({"shadow": {"strata": [{"share": @}]}})", "shadow/strata/0/share", 0.5, 0.5, 0.5},
        Rule{R"({"packing": {"budget_tokens": @}})", "packing/budget_tokens", 3, 4, 7},
        Rule{R"({"packing": {"budget_tokens": 5, "efficiency": @}})", "packing/efficiency", 0.5, 1,
             0.75},
        Rule{R"({"packing": {"least": @}})", "packing/least", 0.5, 0.75, 0.5},
        Rule{R"({"waits": {"p50_seconds": @}})", "waits/p50_seconds", 3, 4, 4},
        Rule{R"({"waits": {"p95_seconds": @}})", "waits/p95_seconds", 4, 3, 4},
        Rule{R"({"waits": {"max_seconds": @}})", "waits/max_seconds", 3, 4, 4},
        Rule{R"({"waits": {"queue": {"full": @}}})", "waits/queue/full", 3, 4, 7},
        Rule{R"({"workload": {"batches": 2}, "waits": {"average_seconds": @}})",
             "waits/average_seconds", 3, 4, 3.5},
        Rule{of_worker("busy_seconds"), "workers/0/busy_seconds", 3, 4, 7},
        Rule{of_worker("memory_reserved_bytes"), "workers/0/memory_reserved_bytes", 3, 4, 4},
        Rule{of_worker("memory_used_bytes"), "workers/0/memory_used_bytes", 4, 3, 4},
        Rule{of_worker("memory_peak_bytes"), "workers/0/memory_peak_bytes", 3, 4, 4},
        Rule{of_worker("index"), "workers/0/index", 3, 4, 0},
        Rule{R"({"devices": [{"nvml_rows": @}]})", "devices/0/nvml_rows", 3, 4, 7},
        Rule{of_statistic(R"({"devices": [{)", "ecc_errors", "}]}"), "devices/0/ecc_errors/maximum",
             3, 4, 4},
        Rule{of_gpu("power_w"), "devices/0/phases/0/power_w/average", 1, 3, 2.5},
        Rule{of_gpu("sm_clock_mhz"), "devices/0/phases/0/sm_clock_mhz/minimum", 4, 3, 3},
        Rule{of_gpu("temperature_c"), "devices/0/phases/0/temperature_c/maximum", 4, 3, 4},
        Rule{of_gpu("memory_used_bytes"), "devices/0/phases/0/memory_used_bytes/samples", 3, 4, 7},
        Rule{of_statistic(R"({"host": {"phases": [{"phase": "esm2", )", "rss_bytes", "}]}}"),
             "host/phases/0/rss_bytes/maximum", 3, 4, 4},
        Rule{R"({"host": {"cpu_seconds": @}})", "host/cpu_seconds", 3, 4, 7},
        Rule{R"({"host": {"read_bytes": @}})", "host/read_bytes", 3, 4, 7},
        Rule{R"({"host": {"peak_rss_bytes": @}})", "host/peak_rss_bytes", 4, 3, 4},
        Rule{R"({"host": {"cgroup_memory_peak_bytes": @}})", "host/cgroup_memory_peak_bytes", 3, 4,
             4},
        Rule{R"({"monitor": {"written": @}})", "monitor/written", 3, 4, 7}));

}  // namespace
}  // namespace virnucpro
