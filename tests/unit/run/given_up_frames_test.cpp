#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/predict.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Runs with the workers of unit/engine/fake/fake_worker.cpp, which fail on tryptophan.
struct GivenUp : testing::TestWithParam<const char*> {
  RunSummary run() {
    write_text(directory / "a.fa",
               ">good\nGCTGCTGCTGCT\n>bad\nTGGTGGTGGTGG\n>last\nGCTGCTGCTGCA\n");
    PredictSettings settings;
    settings.inputs.paths = {(directory / "a.fa").string()};
    const std::string worker = std::string(GetParam()) + ":22";  // W in ESM's alphabet
    write_text(directory / worker, "the fake worker opens no model");
    settings.models = {.dnabert_s = "synthetic:dnabert-s",
                       .esm2 = worker,
                       .classifier = "synthetic",
                       .lookup = tiny_lookup()};
    settings.models.lookup.models_dir = directory.path();
    settings.compute.worker_program = VIRNUCPRO_FAKE_WORKER;
    settings.compute.cpu_workers = 2;
    settings.output = directory / "out";
    settings.stem = "x";
    RunCounters counters;
    const Cancel cancel;
    return predict(settings, counters, cancel, {});
  }

  TempDir directory;
};

TEST_P(GivenUp, CountAsAbsentAndAreToldOf) {
  const RunSummary summary = run();
  EXPECT_EQ(summary.counts.failed_frames, 1U);
  const std::string frames = read_text(directory / "out/x_merged/prediction_results.txt");
  EXPECT_THAT(frames, Not(HasSubstr("bad_chunk_1F1")));
  EXPECT_THAT(frames, HasSubstr("bad_chunk_1F2"));
  EXPECT_THAT(frames, HasSubstr("good_chunk_1F1"));
  EXPECT_THAT(frames, HasSubstr("last_chunk_1F1"));
  const std::string sequences = read_text(directory / "out/sequences.tsv");
  EXPECT_THAT(sequences,
              ::testing::ContainsRegex("bad\t12\t1\t1\t5\t[^\n]*\tfailed: 1 frames\t[^\n]*a.fa\n"));
  EXPECT_THAT(sequences, ::testing::ContainsRegex("good\t12\t1\t1\t6\t[^\n]*\tNA\t[^\n]*a.fa\n"));
}

INSTANTIATE_TEST_SUITE_P(Frames, GivenUp, testing::Values("dies_on_token", "is_nan_on_token"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace virnucpro
