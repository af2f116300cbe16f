#include "validate/suites/suites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Replaces the program with runs of known cost, which they report (see run_fake): one second of
// work, shared by its workers. A run leaves tables of one frame, and reports 8,000 tokens a second
// per worker. With two workers, the second works half of the time.
constexpr const char* kFakeProgram = R"(#!/bin/sh
workers=1
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift;;
    --cpu-workers) workers=$2; shift;;
  esac
  shift
done
if [ -n "$FAKE_FAILS" ]; then echo "no luck today" >&2; exit 1; fi
echo cost $(awk "BEGIN { print ${FAKE_COST:-1} / $workers }")
if [ "$VIRNUCPRO_DISABLE_CHECKPOINTING" = 1 ]; then FAKE_HAS_JOURNAL=false
else echo cost ${FAKE_JOURNAL:-0}; fi
mkdir -p $out/x_merged
printf 'Sequence_ID\tPrediction\tscore1\tscore2\na_chunk_1F1\tvirus\t0.1\t0.9\n' \
  > $out/x_merged/prediction_results.txt
printf 'Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1\na_chunk_1\tTrue\t0.1\t0.9\n' \
  > $out/x_merged/prediction_results_highestscore.csv
cat > $out/telemetry_1.json <<END
{"workload": {"sequences": 10, "sequences_scored": 10, "esm_tokens": 160000, "batches": 4},
 "settings": {"journal": ${FAKE_HAS_JOURNAL:-true}},
 "throughput": {"esm_tokens_per_second": $((8000 * workers))},
 "workers": [{"busy_seconds": 2}, {"busy_seconds": $workers}],
 "waits": {"queue": {"starved": 0}}}
END
)";

// Runs it, but takes the reported costs as its time: so no test has to wait, or depends on how busy
// the machine is.
ChildEnd run_fake(const ChildCall& call, const Cancel& cancel) {
  ChildEnd end = run_child(call, cancel);
  end.seconds = 0;
  std::ifstream log(call.log);
  double cost = 0;
  for (std::string word; log >> word;) {
    if (word == "cost" && log >> cost) end.seconds += cost;
  }
  return end;
}

class Suites : public ::testing::Test {
 protected:
  Suites() {
    settings_.program = folder_.path() / "program";
    std::ofstream(settings_.program) << kFakeProgram;
    std::filesystem::permissions(settings_.program, std::filesystem::perms::owner_all);
    settings_.output = folder_.path() / "out";
    std::filesystem::create_directory(settings_.output);
    settings_.size = {"tiny", 10};
    settings_.threads = 2;
    settings_.precision = "fp32";
    settings_.quick = true;
    settings_.thresholds.shortest_run = 10;
    settings_.run = run_fake;
  }

  SuiteReport run(const char* suite) {
    results_ = run_benchmark(settings_, find_suites(suite), cancel_, [](const std::string&) {});
    return results_.suites.at(0);
  }

  const Metric& metric(const SuiteReport& report, const std::string& key) const {
    for (const Metric& metric : report.metrics) {
      if (metric.key == key) return metric;
    }
    throw std::runtime_error("no metric " + key);
  }

  const TemporaryFolder folder_;
  BenchmarkSettings settings_;
  BenchmarkResults results_;
  const Cancel cancel_;
};

TEST_F(Suites, RecoverTheSpeedUpOfADeviceOfKnownCost) {
  const SuiteReport report = run("scaling");
  EXPECT_EQ(report.failure, "");
  const double one = metric(report, "scaling.1.seconds").values.at(0);
  const double two = metric(report, "scaling.2.seconds").values.at(0);
  EXPECT_DOUBLE_EQ(one, 1);
  EXPECT_DOUBLE_EQ(two, 0.5);
  EXPECT_DOUBLE_EQ(results_.v2.speedup_by_gpus.at(2), 2);
  EXPECT_DOUBLE_EQ(metric(report, "scaling.2.esm_tokens_per_second").values.at(0), 16'000);
}

// A skipped row does not count as passed.
TEST_F(Suites, SkipBarsOfGpusOnTheCpu) {
  const SuiteReport report = run("scaling");
  ASSERT_THAT(report.verdicts, SizeIs(6));
  for (const Verdict& verdict : report.verdicts) {
    EXPECT_EQ(verdict.status, VerdictStatus::kSkipped);
    EXPECT_FALSE(verdict.value);
    EXPECT_THAT(verdict.detail, HasSubstr("CPU"));
  }
}

TEST_F(Suites, ProjectFromALineThroughRunsOfSeveralSizes) {
  const SuiteReport report = run("end-to-end");
  EXPECT_EQ(report.failure, "");
  EXPECT_THAT(report.section.tables.at(0).rows, SizeIs(4));
}

TEST_F(Suites, FindWhatAPlantedJournalCosts) {
  const ScopedVariable cost("FAKE_JOURNAL", "0.25");
  const SuiteReport report = run("checkpoint-overhead");
  ASSERT_THAT(report.verdicts, SizeIs(2));
  ASSERT_TRUE(report.verdicts[0].value);
  EXPECT_NEAR(*report.verdicts[0].value, 25, 1e-9);
  EXPECT_EQ(report.verdicts[0].status, VerdictStatus::kMiss);
  EXPECT_EQ(report.verdicts[1].status, VerdictStatus::kWarn);
}

TEST_F(Suites, RefuseToCompareAJournalThatIsOffWithNone) {
  const ScopedVariable off("FAKE_HAS_JOURNAL", "false");
  EXPECT_THAT(run("checkpoint-overhead").failure, HasSubstr("switches the journal off"));
}

TEST_F(Suites, SayWhatTheProgramSaidWhenItFailed) {
  const ScopedVariable fails("FAKE_FAILS", "1");
  const SuiteReport report = run("memory");
  EXPECT_THAT(report.failure, HasSubstr("no luck today"));
  EXPECT_THAT(report.failure, HasSubstr("exit code 1"));
}

TEST_F(Suites, SkipTheOriginalWhereItIsNot) {
  const SuiteReport report = run("v1-comparison");
  ASSERT_THAT(report.verdicts, SizeIs(2));
  EXPECT_EQ(report.verdicts[0].status, VerdictStatus::kSkipped);
}

TEST_F(Suites, HoldTheOriginalAgainstThisProgram) {
  settings_.thresholds.shortest_run = 1;
  settings_.vanilla_command =
      "test -s \"$INPUT\" && FAKE_COST=5 " + settings_.program.string() + " -o \"$OUTPUT\"";
  const SuiteReport report = run("v1-comparison");
  EXPECT_EQ(report.failure, "");
  ASSERT_TRUE(report.verdicts.at(0).value);
  EXPECT_DOUBLE_EQ(*report.verdicts[0].value, 5);
  EXPECT_EQ(report.verdicts[0].status, VerdictStatus::kPass);
  EXPECT_EQ(report.verdicts[1].status, VerdictStatus::kSkipped);  // a bar for GPUs
}

TEST_F(Suites, DoNotCallFastWhatLeavesNoResults) {
  settings_.thresholds.shortest_run = 1;
  settings_.vanilla_command = "echo cost 2";
  const SuiteReport report = run("v1-comparison");
  EXPECT_THAT(report.failure, HasSubstr("it holds no table"));
  ASSERT_THAT(report.verdicts, SizeIs(1));
  EXPECT_EQ(report.verdicts[0].status, VerdictStatus::kSkipped);
}

TEST(FindSuites, TakesNamesAliasesAndAll) {
  const auto names = [](const char* text) {
    std::vector<std::string_view> found;
    for (const SuiteEntry* suite : find_suites(text)) found.push_back(suite->name);
    return found;
  };
  EXPECT_THAT(names("scaling,memory,scaling"), ElementsAre("memory", "scaling"));
  EXPECT_THAT(names("v2-throughput"), ElementsAre("throughput"));
  EXPECT_THAT(names("all"), SizeIs(suite_table().size()));
  EXPECT_THAT(names("v2-validation"), SizeIs(suite_table().size()));
}

TEST(FindSuites, TellsThoseThereAreOfAnUnknownName) {
  try {
    find_suites("memory,scalling");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("--suite scalling: expected throughput, memory"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean scaling?"));
  }
}

}  // namespace
}  // namespace virnucpro
