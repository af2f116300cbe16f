#include "measure/suites/regression.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::SizeIs;

KeptMetric rates(const std::vector<double>& values) {
  return {.key = "rate", .better = Better::kHigher, .spread = spread_of(values)};
}

KeptMetric times(const std::vector<double>& values) {
  return {.key = "time", .better = Better::kLower, .spread = spread_of(values)};
}

TEST(ChangeOf, ReportsAPlantedSlowdownOfTwentyPercent) {
  const MetricChange of_rate = change_of(rates({100, 101, 99}), rates({80, 81, 79}));
  EXPECT_EQ(of_rate.change, Change::kRegression);
  EXPECT_DOUBLE_EQ(of_rate.slower, 1.25);
  const MetricChange of_time = change_of(times({100, 101, 99}), times({120, 121, 119}));
  EXPECT_EQ(of_time.change, Change::kRegression);
  EXPECT_DOUBLE_EQ(of_time.slower, 1.2);
}

TEST(ChangeOf, DoesNotReportTwoPercent) {
  EXPECT_EQ(change_of(rates({100, 101, 99}), rates({98, 99, 97})).change, Change::kSame);
  EXPECT_EQ(change_of(times({100, 101, 99}), times({102, 103, 101})).change, Change::kSame);
}

TEST(ChangeOf, IsUnclearWhereRepeatsDifferAsMuch) {
  EXPECT_EQ(change_of(rates({70, 100, 130}), rates({60, 80, 110})).change, Change::kUnclear);
  EXPECT_EQ(change_of(times({70, 100, 130}), times({60, 80, 110})).change, Change::kUnclear);
}

TEST(ChangeOf, IsUnclearOfOneRepeatAndOfShortRuns) {
  EXPECT_EQ(change_of(rates({100}), rates({80, 81, 79})).change, Change::kUnclear);
  EXPECT_EQ(change_of(rates({100, 101, 99}), rates({80})).change, Change::kUnclear);
  KeptMetric brief = rates({80, 81, 79});
  brief.brief = true;
  EXPECT_EQ(change_of(rates({100, 101, 99}), brief).change, Change::kUnclear);
  EXPECT_EQ(change_of(rates({100}), rates({99})).change, Change::kSame);
}

TEST(ChangeOf, TellsABetterFigure) {
  EXPECT_EQ(change_of(rates({100, 101, 99}), rates({120, 121, 119})).change, Change::kBetter);
  EXPECT_EQ(change_of(times({100, 101, 99}), times({80, 81, 79})).change, Change::kBetter);
}

KeptMetric counted(double value, Better better = Better::kSame) {
  return {.key = "count", .better = better, .spread = spread_of({value}), .counted = true};
}

TEST(ChangeOf, NeedsNoRepeatsOfWhatIsCounted) {
  EXPECT_EQ(change_of(counted(100), counted(80)).change, Change::kRegression);
  EXPECT_EQ(change_of(counted(100), counted(125)).change, Change::kRegression);
  EXPECT_EQ(change_of(counted(100), counted(95)).change, Change::kRegression);
  EXPECT_EQ(change_of(counted(1000), counted(995)).change, Change::kSame);
  EXPECT_EQ(change_of(counted(95, Better::kHigher), counted(75, Better::kHigher)).change,
            Change::kRegression);
  EXPECT_EQ(change_of(counted(75, Better::kHigher), counted(95, Better::kHigher)).change,
            Change::kBetter);
}

TEST(Comparable, TakesCountsOfTheSameWorkOnAnotherDevice) {
  const std::vector<KeptMetric> both{rates({1, 2, 3}), counted(5)};
  const BenchmarkIdentity here{"GPU", "models", "settings"};
  EXPECT_THAT(comparable(both, here, here), SizeIs(2));
  const std::vector<KeptMetric> elsewhere =
      comparable(both, here, {"another", "models", "settings"});
  ASSERT_THAT(elsewhere, SizeIs(1));
  EXPECT_EQ(elsewhere[0].key, "count");
  EXPECT_THAT(comparable(both, here, {"GPU", "models", "others"}), SizeIs(0));
}

TEST(ChangesBetween, HoldsAgainstEachOtherWhatBothHave) {
  KeptMetric other = rates({1});
  other.key = "other";
  EXPECT_THAT(changes_between({rates({1}), times({1})}, {other, times({1})}), SizeIs(1));
}

// A suite that was not run now says nothing.
TEST(ChangesBetween, NamesWhatASuiteNoLongerMeasures) {
  const auto of = [](const char* key) {
    KeptMetric metric = rates({2, 3, 4});
    metric.key = key;
    return metric;
  };
  const std::vector<MetricChange> changes =
      changes_between({of("a.one"), of("a.two"), of("b.one")}, {of("a.one")});
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].change, Change::kSame);
  EXPECT_EQ(changes[1].key, "a.two");
  EXPECT_EQ(changes[1].change, Change::kMissing);
}

TEST(ChangeOf, TellsAFigureThatBecameNothing) {
  const MetricChange of_rate = change_of(rates({100, 101, 99}), rates({0, 0, 0}));
  EXPECT_EQ(of_rate.change, Change::kRegression);
  EXPECT_EQ(of_rate.slower, kMostRatio);
  EXPECT_EQ(change_of(times({100, 101, 99}), times({0, 0, 0})).change, Change::kBetter);
  EXPECT_EQ(change_of(rates({0, 0, 0}), rates({0, 0, 0})).change, Change::kSame);
}

TEST(Kept, KeepsAFigureOfNothing) {
  SuiteReport suite;
  suite.metrics = {{"a", "", Measure::kNone, Better::kHigher, {1, 2, 3}},
                   {"b", "", Measure::kNone, Better::kHigher, {0}}};
  const std::vector<KeptMetric> metrics = kept({suite});
  ASSERT_THAT(metrics, SizeIs(2));
  EXPECT_DOUBLE_EQ(metrics[0].spread.median, 2);
  EXPECT_DOUBLE_EQ(metrics[1].spread.median, 0);
}

class History : public ::testing::Test {
 protected:
  KeptResults results(double rate, const std::string& device) const {
    return {.time = "2026-11-22T10:00:00Z",
            .commit = "abc",
            .build = "Release",
            .host = "node",
            .driver = "580.1",
            .clock_mhz = 1400,
            .identity = {device, "models \"quoted\"", "settings"},
            .metrics = {rates({rate, rate + 1, rate - 1})}};
  }
  void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }
  std::filesystem::path file() const { return folder_.path() / "history.jsonl"; }

  const TemporaryFolder folder_;
};

TEST_F(History, ComesBackAsItWasKept) {
  append(history_line(results(100, "GPU")));
  const std::vector<KeptResults> history = read_history(file());
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].identity, results(100, "GPU").identity);
  EXPECT_EQ(history[0].commit, "abc");
  EXPECT_EQ(history[0].build, "Release");
  EXPECT_EQ(history[0].host, "node");
  EXPECT_EQ(history[0].driver, "580.1");
  EXPECT_EQ(history[0].clock_mhz, 1400);
  ASSERT_THAT(history[0].metrics, SizeIs(1));
  EXPECT_EQ(history[0].metrics[0].better, Better::kHigher);
  EXPECT_DOUBLE_EQ(history[0].metrics[0].spread.low_quartile, 99.5);
}

TEST_F(History, IsEmptyWithoutAFileAndLeavesOutACutLine) {
  EXPECT_TRUE(read_history(file()).empty());
  const std::string line = history_line(results(100, "GPU"));
  append(line.substr(0, 40) + "\n" + line);
  EXPECT_THAT(read_history(file()), SizeIs(1));
}

TEST_F(History, GivesTheLastFiguresOfTheIdentityOrOfTheSameWork) {
  append(history_line(results(100, "GPU")) + history_line(results(110, "GPU")) +
         history_line(results(5, "another")));
  const auto rate = [this](BenchmarkIdentity identity) {
    return read_results(file(), identity).metrics.at(0).spread.median;
  };
  BenchmarkIdentity wanted = results(0, "GPU").identity;
  EXPECT_EQ(rate(wanted), 110);
  wanted.device = "a third";
  EXPECT_EQ(rate(wanted), 5);
  wanted.models = "others";
  EXPECT_THROW(read_results(file(), wanted), Error);
}

TEST_F(History, LeavesOutFiguresThatCannotBe) {
  std::string metrics;
  for (const char* rest :
       {R"("better": "higher", "median": 2, "low_quartile": 1, "high_quartile": 3)",
        R"("better": "higher", "median": 2, "low_quartile": 3)",
        R"("better": "higher", "median": 2, "high_quartile": 1)",
        R"("better": "higher", "median": 2, "repeats": 0)", R"("better": "sideways", "median": 2)",
        R"("better": "lower", "median": -2)"}) {
    metrics += fmt::format(R"({}{{"key": "a.b", {}}})", metrics.empty() ? "" : ", ", rest);
  }
  append(fmt::format(R"({{"metrics": [{}]}})", metrics) + "\n");
  EXPECT_THAT(read_history(file()).at(0).metrics, SizeIs(1));
}

TEST_F(History, KeepsThatAFigureIsCounted) {
  KeptResults kept = results(1, "GPU");
  kept.metrics = {counted(7)};
  append(history_line(kept));
  const KeptMetric metric = read_history(file()).at(0).metrics.at(0);
  EXPECT_TRUE(metric.counted);
  EXPECT_EQ(metric.better, Better::kSame);
}

TEST_F(History, ShowsTheTrendOfTheSameMachineAlone) {
  const Section section =
      trend_section({results(90, "GPU"), results(1, "another"), results(100, "GPU")});
  ASSERT_THAT(section.plots, SizeIs(1));
  ASSERT_THAT(section.plots[0].lines[0].points, SizeIs(2));
  EXPECT_DOUBLE_EQ(section.plots[0].lines[0].points[0].y, 90);
  EXPECT_DOUBLE_EQ(section.plots[0].lines[0].points[1].y, 100);
}

// v2's keys and units, with this program's names for the same figures. Nothing of it is judged.
TEST(ReadResults, TakesTheFiguresOfAReportOfV2) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "benchmark_20260126_101500.json";
  std::ofstream(file) << R"({"metadata": {"timestamp": "2026-01-26T10:15:00", "data_size": "small",
    "num_sequences": 100, "gpus_tested": [0, 1]},
    "performance": {"gpu_scaling": {"1": 100.0, "2": 60.5, "8": -1}, "speedups": {"2": 1.65},
    "stage_throughput": {"esm2": {"time": 5, "seq_per_sec": 20.0, "gpu_util": 85},
      "dnabert": {"seq_per_sec": 50}, "merge": {"seq_per_sec": 1000}},
    "memory_usage": {"peak": 2.0, "average": 1.5}, "total_time": 60.5, "projected_10k_time": 1.7},
    "summary": {"pass": true, "exit_code": 0}})";
  const KeptResults results = read_results(file, {"GPU", "models", "settings"});
  EXPECT_EQ(results.time, "2026-01-26T10:15:00");
  std::map<std::string, double> found;
  for (const KeptMetric& metric : results.metrics) found[metric.key] = metric.spread.median;
  EXPECT_EQ(found,
            (std::map<std::string, double>{{"end_to_end.seconds", 60.5},
                                           {"end_to_end.gpu_peak_bytes", 2.0 * (1U << 30U)},
                                           {"scaling.1.seconds", 100},
                                           {"scaling.2.seconds", 60.5},
                                           {"throughput.esm2.sequences_per_second", 20},
                                           {"throughput.dnabert_s.sequences_per_second", 50}}));
  const BenchmarkIdentity here{"GPU", "models", "settings"};
  EXPECT_THAT(comparable(results.metrics, results.identity, here), SizeIs(0));
}

TEST(ReadResults, RefusesAReportWithoutFigures) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "other.json";
  std::ofstream(file) << R"({"performance": {"total_time": "soon", "gpu_scaling": 2}})";
  EXPECT_THROW(read_results(file, {}), Error);
}

TEST_F(History, ResultsWithoutFiguresAreNone) {
  append(R"({"metrics": []})");
  EXPECT_EQ(thrown_kind([&] { read_results(file(), {}); }), ErrorKind::kUsage);
}

}  // namespace
}  // namespace virnucpro
