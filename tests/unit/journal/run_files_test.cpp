#include "journal/run_files.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

TEST(RunFile, HasItsPlaceInTheRunsDirectory) {
  EXPECT_EQ(run_files::kJournal.in("run"), "run/run.db");
  EXPECT_EQ(run_files::kLog.in("run"), "run/logs/virnucpro.log");
  EXPECT_EQ(run_files::kFrameTable.in("run", "s"), "run/s_merged/prediction_results.txt");
  EXPECT_EQ(run_files::kChunks.in("run", "s", 500), "run/s_chunked500.fa");
  EXPECT_EQ(run_files::kDefaultOutput.in({}, "a*#"), "a*#_predictions");
}

TEST(RunFile, TellsWhatDiffersFromRunToRun) {
  const auto time_in = [](const char* file) { return run_files::kTelemetry.differing_in(file); };
  EXPECT_EQ(time_in("run/telemetry_20260131T093000.123Z.json"), "20260131T093000.123Z");
  for (const char* other : {"telemetry_1.jsonl", "telemetry_.json", "telemetry.json", "x"}) {
    EXPECT_EQ(time_in(other), "") << other;
  }
}

TEST(RunFile, IsKnownByTheStemOfItsRun) {
  const std::string stem = "a*#.b";
  for (const char* name :
       {"sequences.tsv", "run.db.virnucpro-partial", "a*#.b_chunked300.fa",
        "a*#.b_identified_protein.faa.virnucpro-partial", "sequences.fasta.virnucpro-partial"}) {
    EXPECT_TRUE(is_run_file_of(stem, "", name)) << name;
  }
  EXPECT_TRUE(is_run_file_of(stem, "logs", "virnucpro.log"));
  EXPECT_TRUE(is_run_file_of(stem, "a*#.b_merged", "prediction_results.txt"));
  for (const char* name :
       {"axx1.b_chunked300.fa", "a*#.b_chunked.fa", "x_identified_protein.faa", "sequences.fasta",
        "telemetry_1.json", "sequences.tsv.virnucpro-partial.virnucpro-partial"}) {
    EXPECT_FALSE(is_run_file_of(stem, "", name)) << name;
  }
  EXPECT_FALSE(is_run_file_of(stem, "", "virnucpro.log"));
  EXPECT_FALSE(is_run_file_of(stem, "axx_merged", "prediction_results.txt"));
}

}  // namespace
}  // namespace virnucpro
