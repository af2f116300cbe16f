#include "cli/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace virnucpro {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

PredictSettings settings() {
  PredictSettings result;
  result.output = "out";
  result.stem = "reads";
  return result;
}

TEST(SummaryLines, CountsAndRates) {
  RunSummary summary;
  summary.counts.sequences = 2000;
  summary.counts.virus_sequences = 300;
  summary.counts.unscored_sequences = 700;
  summary.counts.frames = 5000;
  summary.seconds = 10;
  RunCounters counters;
  counters.sequences_known.add(500);
  counters.frames_scored.add(3750);  // of 5,000: the others were known
  const auto lines = summary_lines(settings(), summary, counters, {});
  EXPECT_THAT(lines, Contains("  sequences             2,000"));
  EXPECT_THAT(lines, Contains("  known before            500"));
  EXPECT_THAT(lines, Contains("  others                1,000    50.0 %"));
  EXPECT_EQ(lines.back(), "speed: 1,500 sequences in 10.0 s, 150.0 sequences/s, 375.0 frames/s");
  EXPECT_THAT(lines, Contains("calls: out/sequences.tsv"));
  EXPECT_THAT(lines, Contains("tables: out/reads_merged"));
  EXPECT_THAT(lines, Not(Contains(StartsWith("warning:"))));
}

TEST(SummaryLines, SayWhySequencesAreUnscored) {
  RunSummary summary;
  summary.counts.sequences = 2000;
  summary.counts.unscored_sequences = 1500;
  summary.counts.unscored_by_reason.at(static_cast<std::size_t>(Unscored::kEmpty)) = 2;
  summary.counts.unscored_by_reason.at(static_cast<std::size_t>(Unscored::kNoFrame)) = 1498;
  EXPECT_THAT(summary_lines(settings(), summary, {}, {}),
              Contains("  unscored              1,500    75.0 %: empty 2, no stop-free frame "
                       "1,498"));
}

TEST(SummaryLines, SayHowTheDeviceWasUsed) {
  RunCounters counters;
  counters.workers.add(2);
  for (const std::uint32_t worker : {0U, 1U}) {
    counters.pipeline.record(
        {.worker = worker,
         .esm_tokens = 90'000,
         .budget_tokens = 100'000,
         .times = {.waiting = 0.5, .esm2 = 9, .dnabert_s = 0.38, .classifier = 0.12}});
  }
  const auto lines = summary_lines(settings(), {}, counters, {});
  EXPECT_THAT(lines, Contains("device: busy 95.0 % of the time, waiting for sequences 5.0 %"));
  EXPECT_THAT(summary_lines(settings(), {}, counters, {.gpu_percent = 93.25}),
              Contains(EndsWith("waiting for sequences 5.0 %, GPU use 93.2 %")));
  EXPECT_THAT(summary_lines(settings(), {}, {}, {}), Not(Contains(HasSubstr("busy"))));
}

TEST(SummaryLines, SaysWhatToKnow) {
  RunSummary summary;
  summary.counts.duplicate_ids = 2;
  summary.counts.odd_ids = 3;
  summary.counts.first_odd_id = "a\\x1b";
  summary.counts.failed_frames = 3;
  summary.advice = "most are short";
  summary.unknown_letters = 4;
  summary.synthetic = true;
  InputEntry failed;
  failed.failed = true;
  summary.inputs = {failed, InputEntry{}};
  const auto lines = summary_lines(settings(), summary, {}, {});
  for (const char* part :
       {"no sequences", "2 sequences have the id", "3 frames could not", "The first is a\\x1b",
        "4 characters outside IUPAC", "1 of 2 inputs could not be processed", "synthetic",
        "warning: most are short"}) {
    EXPECT_THAT(lines, Contains(HasSubstr(part)));
  }
}

TEST(SummaryLines, CountWarningsThatWereSaidAndThoseToBeSaid) {
  RunSummary summary;
  summary.counts.sequences = 2000;
  summary.synthetic = true;
  EXPECT_THAT(summary_lines(settings(), summary, {}, {.warnings = 3}),
              Contains("  warnings                  4"));
}

TEST(SummaryLines, SayWhereTheFilesAre) {
  const auto lines = summary_lines(settings(), {}, {}, {.reports = true});
  EXPECT_THAT(lines, Contains("report: out/report.html"));
  EXPECT_THAT(lines, Contains("log: out/logs/virnucpro.log"));
  EXPECT_THAT(summary_lines(settings(), {}, {}, {}), Not(Contains(HasSubstr("report"))));
}

TEST(SummaryLines, NamesNoTablesWhereNoneAreKept) {
  PredictSettings to_stdout = settings();
  to_stdout.to_stdout = true;
  EXPECT_THAT(summary_lines(to_stdout, {}, {}, {}), Not(Contains(HasSubstr("tables:"))));
}

TEST(SummaryLines, WarnOfRequirementsThatAreNotMet) {
  std::vector<Verdict> judged(4);
  const std::array all{VerdictStatus::kPass, VerdictStatus::kSkipped, VerdictStatus::kWarn,
                       VerdictStatus::kMiss};
  for (std::size_t i = 0; i < all.size(); ++i) {
    judged[i].name = name_of(all[i]);
    judged[i].status = all[i];
  }
  const auto lines = summary_lines(settings(), {}, {}, {.judged = judged});
  EXPECT_THAT(lines, Contains(StartsWith("warning: WARN ")));
  EXPECT_THAT(lines, Contains(StartsWith("warning: MISS ")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("PASS"))));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("SKIPPED"))));
}

}  // namespace
}  // namespace virnucpro
