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
struct FailingWorkers : testing::Test {
  RunSummary run(const std::string& mode, const std::optional<Precision>& check = {}) {
    write_text(directory / "a.fa",
               ">good\nGCTGCTGCTGCT\n>bad\nTGGTGGTGGTGG\n>last\nGCTGCTGCTGCA\n");
    PredictSettings settings;
    settings.inputs.paths = {(directory / "a.fa").string()};
    const std::string worker = mode + ":22";  // W in ESM's alphabet
    write_text(directory / worker, "the fake worker opens no model");
    settings.models = {.dnabert_s = "synthetic:dnabert-s",
                       .esm2 = worker,
                       .classifier = "synthetic",
                       .lookup = tiny_lookup()};
    settings.models.lookup.models_dir = directory.path();
    settings.compute.worker_program = VIRNUCPRO_FAKE_WORKER;
    settings.compute.cpu_workers = 2;
    settings.compute.check_precision = check;
    settings.existing = Existing::kReplace;
    settings.output = directory / "out";
    settings.stem = "x";
    RunCounters counters;
    const Cancel cancel;
    return predict(settings, counters, cancel, {});
  }
  std::string frames() const {
    return read_text(directory / "out/x_merged/prediction_results.txt");
  }

  TempDir directory;
};

struct GivenUp : FailingWorkers, testing::WithParamInterface<const char*> {};

TEST_P(GivenUp, CountAsAbsentAndAreToldOf) {
  const RunSummary summary = run(GetParam());
  EXPECT_EQ(summary.counts.failed_frames, 1U);
  const std::string frames = this->frames();
  EXPECT_THAT(frames, Not(HasSubstr("bad_chunk_1F1")));
  EXPECT_THAT(frames, HasSubstr("bad_chunk_1F2"));
  EXPECT_THAT(frames, HasSubstr("good_chunk_1F1"));
  EXPECT_THAT(frames, HasSubstr("last_chunk_1F1"));
  const std::string sequences = read_text(directory / "out/sequences.tsv");
  EXPECT_THAT(sequences,
              ::testing::ContainsRegex("bad\t12\t1\t1\t5\t[^\n]*\tfailed: 1 frames\t[^\n]*a.fa\n"));
  EXPECT_THAT(sequences, ::testing::ContainsRegex("good\t12\t1\t1\t6\t[^\n]*\tNA\t[^\n]*a.fa\n"));
}

TEST_F(FailingWorkers, AreRepairedByTheCheckPrecisionWhereItIsFinite) {
  run("good");
  const std::string expected = frames();
  EXPECT_THAT(expected, HasSubstr("bad_chunk_1F1"));
  EXPECT_EQ(run("is_nan_on_token_at_first", Precision::kFp32).counts.failed_frames, 0U);
  EXPECT_EQ(frames(), expected);
  EXPECT_EQ(run("is_nan_on_token", Precision::kFp32).counts.failed_frames, 1U);
  EXPECT_THAT(frames(), Not(HasSubstr("bad_chunk_1F1")));
}

INSTANTIATE_TEST_SUITE_P(Frames, GivenUp, testing::Values("dies_on_token", "is_nan_on_token"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace virnucpro
