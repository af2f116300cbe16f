#include "telemetry/metrics_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(MetricsText, HasEveryCounterOfARun) {
  RunCounters counters;
  counters.sequences.add(7);
  counters.frames.add(30);
  counters.workers.add(2);
  counters.pipeline.record({.worker = 1,
                            .frames = 5,
                            .esm_tokens = 50,
                            .dna_tokens = 20,
                            .budget_tokens = 60,
                            .times = {.waiting = 0.25, .esm2 = 0.5}});
  const std::string text = metrics_text(counters, {.name = "out"}, "running");
  EXPECT_THAT(text, StartsWith(kMetricsFileStart));
  for (const char* line :
       {"# TYPE virnucpro_sequences_total counter\n",
        "\nvirnucpro_sequences_total{run=\"out\"} 7\n",
        "\nvirnucpro_frames_total{run=\"out\"} 30\n", "\nvirnucpro_workers{run=\"out\"} 2\n",
        "\nvirnucpro_esm_tokens_total{run=\"out\"} 50\n",
        "\nvirnucpro_budget_tokens_total{run=\"out\"} 60\n",
        "\nvirnucpro_busy_seconds_total{run=\"out\",worker=\"0\"} 0\n",
        "\nvirnucpro_busy_seconds_total{run=\"out\",worker=\"1\"} 0.5\n",
        "\nvirnucpro_waiting_seconds_total{run=\"out\",worker=\"1\"} 0.25\n",
        "\nvirnucpro_state{run=\"out\",state=\"running\"} 1\n",
        "\nvirnucpro_state{run=\"out\",state=\"finished\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsText, HasTheEstimateOfAShadowCheck) {
  RunCounters counters;
  counters.shadow.strata[3].chunks.add(1000);
  counters.shadow.strata[3].sampled.add(100);
  counters.shadow.strata[3].changed.add(2);
  for (const double error : {0.25, -0.25}) counters.shadow.logits.add(error);
  const std::vector<float> one{1, 0};
  const std::vector<float> other{0, 1};
  counters.shadow.embeddings.add(one, one);
  counters.shadow.embeddings.add(other, other);
  const std::string text = metrics_text(counters, {.name = "out", .shadow = 0.1}, "running");
  for (const char* line : {"# TYPE virnucpro_shadow_changed_estimate gauge\n",
                           "\nvirnucpro_shadow_changed_estimate{run=\"out\"} 20\n",
                           "\nvirnucpro_shadow_logit_error_rms{run=\"out\"} 0.25\n",
                           "\nvirnucpro_shadow_logit_error_largest{run=\"out\"} 0.25\n",
                           "\nvirnucpro_shadow_centred_cosine{run=\"out\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, ContainsRegex("shadow_changed_low\\{run=\"out\"\\} 2\\."));
  EXPECT_THAT(metrics_text(counters, {.name = "out"}, "running"), Not(HasSubstr("estimate")));
}

TEST(MetricsText, EscapesWhatAFolderMayBeCalled) {
  EXPECT_THAT(metrics_text(RunCounters(), {.name = "a\"b\\c\nd"}, "running"),
              HasSubstr("{run=\"a\\\"b\\\\c\\\\x0ad\"}"));
  EXPECT_THAT(metrics_text(RunCounters(), {.name = "caf\xe9 \xc3\xa9\xc2\x9b"}, "running"),
              HasSubstr("{run=\"caf\\\\xe9 \xc3\xa9\\\\u009b\"}"));
}

TEST(MetricsFile, SaysHowTheRunEnded) {
  const TempDir directory;
  const RunCounters counters;
  const auto path = directory / "virnucpro.prom";
  { const MetricsFile file(path, {.name = "out"}, counters); }
  EXPECT_THAT(read_text(path), HasSubstr("state=\"failed\"} 1\n"));
  {
    MetricsFile file(path, {.name = "out"}, counters);
    file.finish({});
  }
  EXPECT_THAT(read_text(path), HasSubstr("state=\"finished\"} 1\n"));
  EXPECT_EQ(directory.entries(), 1U);
}

TEST(MetricsFile, IsUpToDate) {
  const TempDir directory;
  RunCounters counters;
  const auto path = directory / "virnucpro.prom";
  const MetricsFile file(path, {.name = "out"}, counters, std::chrono::milliseconds(5));
  counters.sequences.add(11);
  for (int turn = 0; turn < 2000; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!std::filesystem::exists(path)) continue;
    if (read_text(path).find("sequences_total{run=\"out\"} 11\n") != std::string::npos) return;
  }
  ADD_FAILURE() << read_text(path);
}

TEST(MetricsFile, EndsNoRunWhereItCannotBeWritten) {
  const TempDir directory;
  const RunCounters counters;
  const auto path = directory / "later" / "virnucpro.prom";
  {
    MetricsFile file(path, {.name = "out"}, counters, std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(directory.entries(), 0U);
    std::filesystem::create_directory(directory / "later");
    file.finish({});
  }
  EXPECT_THAT(read_text(path), HasSubstr("state=\"finished\"} 1\n"));
}

}  // namespace
}  // namespace virnucpro
