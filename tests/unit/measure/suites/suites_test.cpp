#include "measure/suites/suites.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "measure/suites/benchmark_report.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// Replaces the program with runs of known cost, which they report (see run_fake): FAKE_LOAD seconds
// of loading, FAKE_EACH seconds of work for each sequence, shared by the workers (several waste
// FAKE_WASTE of their time). A run leaves tables of one frame, whose virus score is FAKE_SCORE
// (with other batches FAKE_OTHER_SCORE, with --margin 0 FAKE_MARGIN_0_SCORE), and telemetry. With
// two workers, the second works half of the time.
constexpr const char* kFakeProgram = R"sh(#!/bin/sh
workers=1; inputs=; budget=; margin=${FAKE_MARGIN:-0}
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift;;
    --cpu-workers) workers=$2; shift;;
    --device) case $2 in cuda:*) workers=$(echo "$2" | tr ',' '\n' | wc -l);; esac; shift;;
    --token-budget) budget=$2; shift;;
    --margin) margin=$2; shift;;
    --precision) if [ "$2" = fp32 ]; then
      FAKE_SCORE=${FAKE_FP32_SCORE:-$FAKE_SCORE}; FAKE_MARGIN_0_SCORE=
    fi; shift;;
    *.fa) inputs="$inputs $1";;
  esac
  shift
done
if [ -n "$FAKE_FAILS" ]; then echo "no luck today" >&2; exit 1; fi
sequences=10
if [ -n "$inputs" ]; then sequences=$(cat $inputs | grep -c '>'); fi
number() { awk "BEGIN { printf \"%.9g\", ($1) }"; }
waste=0; if [ $workers -gt 1 ]; then waste=${FAKE_WASTE:-0}; fi
work=$(number "${FAKE_EACH:-0.1} * $sequences / $workers / (1 - $waste)")
echo cost $work
echo cost ${FAKE_LOAD:-0}
if [ "$VIRNUCPRO_DISABLE_CHECKPOINTING" = 1 ]; then FAKE_HAS_JOURNAL=false
else echo cost ${FAKE_JOURNAL:-0}; fi
batches=1; score=${FAKE_SCORE:-0.9}
if [ -n "$budget" ]; then batches=${FAKE_OTHER_BATCHES:-4}; score=${FAKE_OTHER_SCORE:-$score}; fi
if [ "$margin" = 0 ]; then score=${FAKE_MARGIN_0_SCORE:-$score}; fi
others=$(number "1 - $score"); label=virus; is_virus=True
if [ $(number "$score >= 0.5") = 0 ]; then label=others; is_virus=False; fi
mkdir -p $out/x_merged $out/logs
printf "Sequence_ID\tPrediction\tscore1\tscore2\na_chunk_1F1\t$label\t$others\t$score\n" \
  > $out/x_merged/prediction_results.txt
printf "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1\na_chunk_1\t$is_virus\t$others\t$score\n" \
  > $out/x_merged/prediction_results_highestscore.csv
if [ -n "$budget" ] && [ -n "$FAKE_OTHER_LACKS" ]; then
  rm $out/x_merged/prediction_results_highestscore.csv
fi
if [ -n "$FAKE_GROWTH" ]; then
  { echo timestamp,device_id,stage,rss_bytes,memory_used_bytes
    for second in $(seq 0 60); do
      echo $second,host,embedding,$(number "1000000000 + $second * $FAKE_GROWTH"),
      echo $second,cuda:0,embedding,,$(number "9000000000 + $second * ${FAKE_GPU_GROWTH:-0}")
    done; } > $out/logs/gpu_metrics_1.log
fi
cat > $out/telemetry_1.json <<END
{"run": {"stem": "x"},
 "workload": {"sequences": $sequences, "sequences_scored": $sequences,
   "one_chunk_sequences": ${FAKE_ONE_CHUNK:-$sequences}, "chunks_with_frames": $sequences,
   "frames_scored": $sequences, "esm_tokens": $((160 * sequences)),
   "dna_tokens": $((90 * sequences)), "batches": $batches},
 "settings": {"journal": ${FAKE_HAS_JOURNAL:-true}, "margin": $margin},
 "packing": {"efficiency": ${FAKE_PACKING:-0.95}},
 "throughput": {"esm_tokens_per_second": $(number "160 * $sequences / $work")},
 "workers": [{"busy_seconds": 2, "memory_reserved_bytes": ${FAKE_OTHER_RESERVED:-1000},
   "memory_used_bytes": 900, "memory_peak_bytes": 950},
   {"busy_seconds": $workers, "memory_reserved_bytes": ${FAKE_RESERVED:-1000},
    "memory_used_bytes": 900, "memory_peak_bytes": ${FAKE_PEAK:-950}}],
 "waits": {"queue": {"starved": 0}}}
END
)sh";

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

  const Field& field(const SuiteReport& report, std::string_view key) const {
    for (const Field& field : report.section.fields) {
      if (field.key == key) return field;
    }
    throw std::runtime_error("no field " + std::string(key));
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
  EXPECT_DOUBLE_EQ(metric(report, "scaling.2.esm_tokens_per_second").values.at(0), 3'200);
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

// A status that a requirement must get, with the variables of the program that lead to it.
struct Case {
  VerdictStatus status;
  double value;  // 0: skipped, without one
  std::map<std::string, std::string> variables;
};

class OnGpus : public Suites {
 protected:
  OnGpus() {
    settings_.gpus = {{.index = 0}, {.index = 1}};
    settings_.size = {"small", 20};
    settings_.thresholds.shortest_run = 1;
  }

  Verdict verdict_of(const char* suite, std::string_view id, std::string_view name = {}) {
    for (const Verdict& verdict : run(suite).verdicts) {
      if (verdict.id == id && verdict.name.find(name) != std::string_view::npos) return verdict;
    }
    throw std::runtime_error("no such verdict");
  }

  void expect(const Case& wanted, const Verdict& found) {
    EXPECT_EQ(found.status, wanted.status) << verdict_line(found);
    if (wanted.status == VerdictStatus::kSkipped) {
      EXPECT_FALSE(found.value);
      EXPECT_NE(found.detail, "");
    } else {
      ASSERT_TRUE(found.value);
      EXPECT_NEAR(*found.value, wanted.value, 1e-3 * wanted.value + 1e-9);
    }
  }

  void try_all(const char* suite, std::string_view id, const std::vector<Case>& cases,
               std::string_view name = {}) {
    for (const Case& one : cases) {
      const Variables variables(one.variables);
      expect(one, verdict_of(suite, id, name));
    }
  }

 private:
  struct Variables {
    explicit Variables(const std::map<std::string, std::string>& values) {
      for (const auto& [name, value] : values) {
        set.push_back(std::make_unique<ScopedVariable>(name.c_str(), value.c_str()));
      }
    }
    std::vector<std::unique_ptr<ScopedVariable>> set;
  };
};

TEST_F(OnGpus, JudgeTheSpeedUp) {
  try_all("scaling", "PERF-03",
          {{VerdictStatus::kPass, 1.9, {{"FAKE_WASTE", "0.0499"}}},
           {VerdictStatus::kWarn, 1.8, {{"FAKE_WASTE", "0.1"}}},
           {VerdictStatus::kMiss, 1.5, {{"FAKE_WASTE", "0.25"}}},
           {VerdictStatus::kSkipped, 0, {{"FAKE_EACH", "0.001"}}}},
          "2 GPUs");
  try_all("scaling", "SCALING",
          {{VerdictStatus::kPass, 2, {}},
           {VerdictStatus::kWarn, 1.8, {{"FAKE_WASTE", "0.1"}}},
           {VerdictStatus::kMiss, 1.5, {{"FAKE_WASTE", "0.25"}}},
           {VerdictStatus::kSkipped, 0, {{"FAKE_EACH", "0.001"}}}},
          "2 GPUs");
  EXPECT_THAT(verdict_of("scaling", "PERF-03", "4 GPUs").detail,
              HasSubstr("this benchmark uses 2"));
}

// A second of work a GPU and 5 s of loading: runs of 110 s are made, as far as there is time.
TEST_F(OnGpus, MakeRunsSoLongThatLoadingDoesNotDecide) {
  settings_.quick = false;
  try_all("scaling", "PERF-03",
          {{VerdictStatus::kPass, (5 + 220) / (5 + 110.), {{"FAKE_LOAD", "5"}}},
           {VerdictStatus::kSkipped, 0, {{"FAKE_LOAD", "200"}}}},
          "2 GPUs");
}

TEST_F(OnGpus, DoNotLetLoadingDecideAQuickBenchmark) {
  const ScopedVariable load("FAKE_LOAD", "1");
  const Verdict whole = verdict_of("scaling", "PERF-03", "2 GPUs");
  EXPECT_EQ(whole.status, VerdictStatus::kSkipped);
  EXPECT_THAT(whole.detail, HasSubstr("loading took 50 % of the runs' time"));
  EXPECT_EQ(verdict_of("scaling", "SCALING", "2 GPUs").status, VerdictStatus::kPass);
  const ScopedVariable waste("FAKE_WASTE", "0.1");  // now it is not loading alone
  EXPECT_EQ(verdict_of("scaling", "PERF-03", "2 GPUs").status, VerdictStatus::kMiss);
}

struct GpuBars {
  std::size_t gpus;
  double wanted;
  double least;
};

TEST_F(OnGpus, AskMoreOfMoreGpus) {
  for (const GpuBars& bars : {GpuBars{4, 3.6, 3.0}, {8, 7.2, 6.0}}) {
    settings_.gpus.resize(bars.gpus);
    for (std::size_t k = 0; k < bars.gpus; ++k) settings_.gpus[k].index = static_cast<int>(k);
    settings_.size = {"small", 20 * bars.gpus};
    const std::string name = fmt::format("{} GPUs", bars.gpus);
    const auto waste = [&bars](double speedup) {
      return fmt::format("{:.6f}", 1 - speedup / static_cast<double>(bars.gpus));
    };
    for (const char* id : {"PERF-03", "SCALING"}) {
      const auto judged = [&](double speedup) {
        const ScopedVariable wasted("FAKE_WASTE", waste(speedup));
        return verdict_of("scaling", id, name).status;
      };
      EXPECT_EQ(judged(bars.wanted + 0.01), VerdictStatus::kPass) << name;
      EXPECT_EQ(judged(bars.wanted - 0.01), VerdictStatus::kWarn) << name;
      EXPECT_EQ(judged(bars.least - 0.01), VerdictStatus::kMiss) << name;
    }
  }
}

// Two GPUs: 6,000,000 sequences of 0.0108 s take 9 hours on them.
TEST_F(OnGpus, ProjectTheTimeOfSixMillionSequences) {
  settings_.thresholds.shortest_run = 0;
  try_all("end-to-end", "PERF-01",
          {{VerdictStatus::kPass, 8, {{"FAKE_EACH", "0.0096"}}},
           {VerdictStatus::kWarn, 9.5, {{"FAKE_EACH", "0.0114"}}},
           {VerdictStatus::kMiss, 11.5, {{"FAKE_EACH", "0.0138"}}}});
  settings_.thresholds.shortest_run = 1;
  try_all("end-to-end", "PERF-01", {{VerdictStatus::kSkipped, 0, {{"FAKE_EACH", "0.0096"}}}});
}

std::vector<std::string> made_up_data(const BenchmarkSettings& settings) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(settings.output / "data")) {
    if (file.path().extension() == ".fa") names.push_back(file.path().filename());
  }
  return names;
}

// The requirement is of reads, which have one chunk each.
TEST_F(OnGpus, ProjectFromReadsAndRunContigsBesideThem) {
  const SuiteReport report = run("end-to-end");
  EXPECT_THAT(made_up_data(settings_),
              UnorderedElementsAre("coding_20_150.fa", "coding_40_150.fa", "coding_60_150.fa",
                                   "coding_80_150.fa", "coding_20_lognormal_600_1_150-6000.fa"));
  EXPECT_DOUBLE_EQ(metric(report, "contigs.packing_percent").values.at(0), 95);
  EXPECT_THAT(report.section.tables.back().rows, SizeIs(2));
}

TEST_F(OnGpus, TakeReadsNoLongerThanAChunk) {
  settings_.chunk_size = 100;
  run("end-to-end");
  EXPECT_THAT(made_up_data(settings_), Contains("coding_80_100.fa"));
}

TEST_F(OnGpus, JudgeThePackingOfContigs) {
  try_all("end-to-end", "PERF-05",
          {{VerdictStatus::kPass, 95, {}},
           {VerdictStatus::kWarn, 85, {{"FAKE_PACKING", "0.85"}}},
           {VerdictStatus::kMiss, 75, {{"FAKE_PACKING", "0.75"}}},
           {VerdictStatus::kSkipped, 0, {{"FAKE_EACH", "0.001"}}}},
          "packing of contigs");
}

TEST_F(OnGpus, TakeTheDataSizesLengthsElsewhere) {
  settings_.size.lengths = UniformLengths{.least = 100, .most = 2'000};
  run("checkpoint-overhead");
  EXPECT_THAT(made_up_data(settings_), Contains("coding_20_uniform_100-2000.fa"));
}

TEST_F(OnGpus, MakeUpNoContigsWhereThereAreSamples) {
  const std::filesystem::path samples = folder_.path() / "samples.fa";
  std::ofstream(samples) << ">a\nACGTACGT\n>b\nACGTACGT\n>c\nACGTACGT\n>d\nACGTACGT\n";
  settings_.samples = {samples};
  settings_.size = {"samples", 4};
  const SuiteReport report = run("end-to-end");
  EXPECT_EQ(report.failure, "");
  EXPECT_THAT(report.verdicts, SizeIs(1));  // PERF-01
  for (const std::string& name : made_up_data(settings_)) EXPECT_THAT(name, HasSubstr("first_"));
}

// Contigs say nothing of the time for 6,000,000 reads, however fast they were.
TEST_F(OnGpus, ProjectReadsFromReadsAlone) {
  settings_.thresholds.shortest_run = 0;
  const ScopedVariable one_chunk("FAKE_ONE_CHUNK", "68");  // of 80
  const ScopedVariable each("FAKE_EACH", "0.0138");        // 11.5 h
  const Verdict verdict = verdict_of("end-to-end", "PERF-01");
  EXPECT_EQ(verdict.status, VerdictStatus::kSkipped);
  EXPECT_THAT(verdict.detail, HasSubstr("85 % of these sequences have one chunk"));
  EXPECT_FALSE(results_.v2.projected_hours);
}

// The bar is for 6,000,000 sequences, not for 10,000.
TEST_F(OnGpus, MeetTenHoursExactlyWhereSixMillionAreProjectedBelow) {
  settings_.thresholds.shortest_run = 0;
  for (const auto& [each, hours] : {std::pair{"0.0119", 9.9167}, {"0.0121", 10.083}}) {
    const ScopedVariable variable("FAKE_EACH", each);
    run("end-to-end");
    ASSERT_TRUE(results_.v2.projected_hours);
    EXPECT_NEAR(*results_.v2.projected_hours, hours, 1e-3);
    EXPECT_NEAR(*results_.v2.projected_10k_hours, hours / 600, 1e-6);
    const std::string json = benchmark_json(settings_, {}, results_, {});
    EXPECT_THAT(json, HasSubstr(fmt::format("\"meets_10hr_requirement\": {}", hours < 10)));
  }
}

TEST_F(Suites, ProjectOnTheCpuTooButJudgeNothing) {
  settings_.thresholds.shortest_run = 0;
  const SuiteReport report = run("end-to-end");
  EXPECT_EQ(report.failure, "");
  EXPECT_THAT(report.section.tables.at(0).rows, SizeIs(4));
  ASSERT_TRUE(results_.v2.projected_hours);
  EXPECT_NEAR(*results_.v2.projected_hours, 6e6 * 0.1 / 3600, 1e-3);
  EXPECT_EQ(report.verdicts.at(0).status, VerdictStatus::kSkipped);
  settings_.thresholds.shortest_run = 10;
  run("end-to-end");
  EXPECT_FALSE(results_.v2.projected_hours);
  EXPECT_THAT(benchmark_json(settings_, {}, results_, {}),
              HasSubstr("\"meets_10hr_requirement\": null"));
}

TEST_F(Suites, RunAllOfADataSetOfWhichAPartIsProjectedFrom) {
  settings_.size = {"production", 40};
  settings_.most_projected_from = 20;
  const SuiteReport report = run("end-to-end");
  EXPECT_THAT(report.section.note, HasSubstr("all 40 were run once"));
  EXPECT_DOUBLE_EQ(*results_.v2.total_seconds, 4);
  EXPECT_DOUBLE_EQ(std::get<double>(field(report, "whole_over_projected").value), 1);
}

TEST_F(Suites, FindWhatAPlantedJournalCosts) {
  for (const auto& [cost, status] : {std::pair{"0.005", VerdictStatus::kPass},
                                     {"0.05", VerdictStatus::kWarn},
                                     {"0.25", VerdictStatus::kMiss}}) {
    const ScopedVariable journal("FAKE_JOURNAL", cost);
    settings_.thresholds.shortest_run = 0.5;
    const SuiteReport report = run("checkpoint-overhead");
    ASSERT_THAT(report.verdicts, SizeIs(1));
    ASSERT_TRUE(report.verdicts[0].value);
    EXPECT_NEAR(*report.verdicts[0].value, 100 * std::stod(cost), 1e-6);
    EXPECT_EQ(report.verdicts[0].status, status);
    EXPECT_EQ(report.verdicts[0].id, "CHECKPOINT");
  }
}

TEST_F(OnGpus, MeasureFragmentationAndGrowthOfARun) {
  const ScopedVariable reserved("FAKE_RESERVED", "1200");
  const ScopedVariable growth("FAKE_GROWTH", "10000");
  const SuiteReport report = run("memory");
  EXPECT_EQ(report.failure, "");
  EXPECT_DOUBLE_EQ(std::get<double>(field(report, "fragmentation").value), 0.25);
  EXPECT_EQ(std::get<std::string>(field(report, "growth_per_hour").value), "36.0 MB, on host");
}

// The run took a minute.
TEST_F(OnGpus, JudgeMemoryByTheBarsOfV2) {
  using enum VerdictStatus;
  try_all("memory", "MEM-GROWTH",
          {{kSkipped, 0, {}},  // first: a later run would find a log
           {kPass, 99, {{"FAKE_GROWTH", "1650000"}}},
           {kMiss, 102, {{"FAKE_GROWTH", "1700000"}}},
           {kMiss, 120, {{"FAKE_GROWTH", "1000"}, {"FAKE_GPU_GROWTH", "2000000"}}}});
  try_all("memory", "MEM-EFFICIENCY",
          {{kPass, 70, {{"FAKE_RESERVED", "1400"}, {"FAKE_PEAK", "980"}}},
           {kMiss, 69, {{"FAKE_RESERVED", "2000"}, {"FAKE_PEAK", "1380"}}},
           {kMiss, 30, {{"FAKE_PEAK", "300"}, {"FAKE_OTHER_RESERVED", "2000"}}},
           {kSkipped, 0, {{"FAKE_RESERVED", "0"}, {"FAKE_OTHER_RESERVED", "0"}}}});
  try_all("memory", "MEM-FRAGMENTATION",
          {{kPass, 25, {{"FAKE_RESERVED", "1200"}}},
           {kMiss, 40, {{"FAKE_RESERVED", "1500"}}},
           {kSkipped, 0, {{"FAKE_RESERVED", "0"}, {"FAKE_OTHER_RESERVED", "0"}}}});
}

// Noise is no growth that a later benchmark could call worse.
TEST_F(OnGpus, KeepTheGrowthForLaterBenchmarks) {
  for (const auto& [growth, bytes] : {std::pair{"1000000", 6e7}, std::pair{"-1000000", 1e7}}) {
    const ScopedVariable grows("FAKE_GROWTH", growth);
    EXPECT_NEAR(metric(run("memory"), "memory.growth_bytes").values.at(0), bytes, 1e-3 * bytes);
  }
}

TEST_F(OnGpus, HoldAnswersOfOtherBatchesAgainstEachOther) {
  try_all("equivalence", "IDENTITY",
          {{VerdictStatus::kPass, 0, {}},
           {VerdictStatus::kWarn, 0, {{"FAKE_OTHER_LACKS", "a table"}}},
           {VerdictStatus::kMiss, 0.01, {{"FAKE_OTHER_SCORE", "0.91"}}},
           {VerdictStatus::kSkipped, 0, {{"FAKE_OTHER_BATCHES", "1"}}}});
  EXPECT_EQ(verdict_of("equivalence", "IDENTITY").name,
            "tables and embeddings of two runs, the second with other batches and one worker");
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

TEST_F(OnGpus, HoldTheOriginalAgainstThisProgram) {
  settings_.quick = false;
  settings_.gpus.resize(1);
  const auto with_cost = [&](const char* times) {
    settings_.vanilla_command =
        fmt::format("FAKE_EACH={} {} \"$INPUT\" -o \"$OUTPUT\"", times, settings_.program.string());
  };
  with_cost("0.5");
  try_all("v1-comparison", "V1-SPEED", {{VerdictStatus::kPass, 5, {}}});
  try_all("v1-comparison", "V1-SPEED-OWN", {{VerdictStatus::kMiss, 5, {}}});
  with_cost("1.6");
  try_all("v1-comparison", "V1-SPEED-OWN", {{VerdictStatus::kPass, 16, {}}});
  with_cost("0.4");
  try_all("v1-comparison", "V1-SPEED", {{VerdictStatus::kMiss, 4, {}}});
  // 4.2, 4.4 and 4.6: the runs' folders are 002_vanilla, 004_ and 006_, after a first run of ours.
  with_cost("0.4$(basename $OUTPUT | cut -c3)");
  EXPECT_EQ(verdict_of("v1-comparison", "V1-SPEED").status, VerdictStatus::kWarn);
  settings_.vanilla_command.clear();
  try_all("v1-comparison", "V1-SPEED", {{VerdictStatus::kSkipped, 0, {}}});
}

// Loading decides a short run, above the bar as below it.
TEST_F(OnGpus, DoNotJudgeAShortRunAgainstTheOriginal) {
  settings_.gpus.resize(1);
  settings_.thresholds.shortest_run = 10;
  for (const char* each : {"0.4", "1.6"}) {
    settings_.vanilla_command =
        fmt::format("FAKE_EACH={} {} \"$INPUT\" -o \"$OUTPUT\"", each, settings_.program.string());
    for (const Verdict& verdict : run("v1-comparison").verdicts) {
      EXPECT_EQ(verdict.status, VerdictStatus::kSkipped) << verdict_line(verdict);
      EXPECT_THAT(verdict.detail, HasSubstr("the run computed for 2.0 s"));
    }
  }
}

// 20 sequences take 2 s, 125 take 12.5.
TEST_F(OnGpus, GiveTheOriginalAndThisProgramMoreDataUntilTheyCanBeJudged) {
  settings_.quick = false;
  settings_.gpus.resize(1);
  settings_.thresholds.shortest_run = 10;
  settings_.vanilla_command =
      fmt::format("FAKE_EACH=0.4 {} \"$INPUT\" -o \"$OUTPUT\"", settings_.program.string());
  const SuiteReport report = run("v1-comparison");
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(report.verdicts.at(0).status, VerdictStatus::kMiss);
  EXPECT_NEAR(*report.verdicts.at(0).value, 4, 1e-6);
  EXPECT_NEAR(std::get<double>(field(report, "seconds").value), 12.5, 1e-6);
  EXPECT_NEAR(std::get<double>(field(report, "vanilla_seconds").value), 50, 1e-6);
}

// The program's score is 0.9.
TEST_F(OnGpus, HoldTheOriginalsScoresAgainstThisProgram) {
  const auto judged = [&](const char* score, const char* precision, std::string_view id) {
    settings_.precision = precision;
    settings_.vanilla_command = fmt::format("FAKE_SCORE={} {} \"$INPUT\" -o \"$OUTPUT\"", score,
                                            settings_.program.string());
    return verdict_of("equivalence", id).status;
  };
  EXPECT_EQ(judged("0.9", "fp32", "EQUIV-VANILLA"), VerdictStatus::kPass);
  EXPECT_EQ(judged("0.91", "fp32", "EQUIV-VANILLA"), VerdictStatus::kMiss);  // nothing explains it
  EXPECT_EQ(judged("0.91", "fp16", "EQUIV-VANILLA"), VerdictStatus::kWarn);
  EXPECT_EQ(judged("0.91", "fp16", "EQUIV-VANILLA-FP32"), VerdictStatus::kMiss);
  EXPECT_EQ(judged("0.93", "fp16", "EQUIV-VANILLA"), VerdictStatus::kMiss);
  EXPECT_EQ(judged("0.93", "bf16", "EQUIV-VANILLA"), VerdictStatus::kWarn);
  EXPECT_EQ(judged("0.2", "bf16", "EQUIV-VANILLA"), VerdictStatus::kMiss);
  // The requirement's bar and our own.
  EXPECT_EQ(judged("0.9008", "fp32", "EQUIV-VANILLA"), VerdictStatus::kPass);
  EXPECT_EQ(judged("0.9008", "fp32", "EQUIV-VANILLA-OWN"), VerdictStatus::kMiss);
  EXPECT_EQ(judged("0.9008", "fp16", "EQUIV-VANILLA-OWN"), VerdictStatus::kWarn);
  EXPECT_THAT(verdict_of("equivalence", "EQUIV-VANILLA-OWN").detail,
              HasSubstr("prediction_results.txt: "));
  EXPECT_EQ(judged("0.9008", "fp16", "EQUIV-VANILLA-FP32"), VerdictStatus::kPass);
  EXPECT_EQ(judged("0.9008", "fp16", "EQUIV-VANILLA-FP32-OWN"), VerdictStatus::kMiss);
  EXPECT_EQ(judged("0.9001", "fp32", "EQUIV-VANILLA-OWN"), VerdictStatus::kPass);
  settings_.vanilla_command.clear();
  EXPECT_EQ(verdict_of("equivalence", "EQUIV-VANILLA").status, VerdictStatus::kSkipped);
  EXPECT_EQ(verdict_of("equivalence", "EQUIV-VANILLA-OWN").status, VerdictStatus::kSkipped);
}

TEST_F(OnGpus, HoldAPrecisionAgainstFp32) {
  const auto judged = [&](const char* precision, const char* fp32_score) {
    settings_.precision = precision;
    const ScopedVariable score("FAKE_FP32_SCORE", fp32_score);
    return verdict_of("equivalence", "PRECISION").status;
  };
  EXPECT_EQ(judged("fp16", "0.904"), VerdictStatus::kPass);
  EXPECT_EQ(judged("fp16", "0.91"), VerdictStatus::kMiss);  // over 0.005, though under 0.02
  EXPECT_EQ(judged("bf16", "0.91"), VerdictStatus::kPass);
  EXPECT_EQ(judged("bf16", "0.93"), VerdictStatus::kMiss);
  EXPECT_EQ(judged("int8", "0.93"), VerdictStatus::kPass);
  EXPECT_EQ(judged("int8", "0.95"), VerdictStatus::kMiss);  // over 0.04, though under 0.1
}

// Default runs are compared with the original; the precision is judged without what is computed
// again.
TEST_F(OnGpus, JudgeThePrecisionItselfAndDefaultRunsElse) {
  settings_.precision = "int8";
  settings_.vanilla_command = settings_.program.string() + " \"$INPUT\" -o \"$OUTPUT\"";
  const ScopedVariable margin("FAKE_MARGIN", "0.3");
  for (const auto& [score, status] :
       {std::pair("0.93", VerdictStatus::kPass), std::pair("0.95", VerdictStatus::kMiss)}) {
    const ScopedVariable of_int8("FAKE_MARGIN_0_SCORE", score);
    const Verdict precision = verdict_of("equivalence", "PRECISION");
    EXPECT_EQ(precision.status, status);
    EXPECT_EQ(precision.detail, "measured with --margin 0");
    EXPECT_EQ(verdict_of("equivalence", "EQUIV-VANILLA").value, 0);
  }
  EXPECT_TRUE(std::filesystem::exists(settings_.output / "runs" / "001_calibration.log"));
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
  EXPECT_THAT(names("scaling,memory,scaling"), ElementsAre("scaling", "memory"));
  EXPECT_THAT(names("v2-throughput"), ElementsAre("throughput", "tune"));
  EXPECT_THAT(names("all"), SizeIs(suite_table().size() - 1));  // without tune
  EXPECT_EQ(names("v2-validation"), names("all"));
}

TEST_F(OnGpus, JudgeOnlyIdsThatRequireKnows) {
  const auto suites = find_suites("all");
  results_ = run_benchmark(settings_, suites, cancel_, [](const std::string&) {});
  for (std::size_t k = 0; k < suites.size(); ++k) {
    if (!results_.suites[k].failure.empty()) continue;  // throughput loads models
    for (const Verdict& verdict : results_.suites[k].verdicts) {
      EXPECT_TRUE(is_listed(verdict.id, suites[k]->ids)) << verdict.id;
    }
  }
  for (const Verdict& verdict : judge({}, 0, {}))
    EXPECT_NO_THROW(check_required(verdict.id, suites));
  EXPECT_NO_THROW(check_required("PREC-01", suites));  // of int8 alone
}

ErrorKind kind_of_refusal(const std::function<void()>& call, const char* says) {
  const Error error = thrown(call);
  EXPECT_THAT(error.what(), HasSubstr(says));
  return error.kind();
}

TEST_F(Suites, MustJudgeWhatIsRequired) {
  const auto scaling = find_suites("scaling");
  EXPECT_EQ(kind_of_refusal([&] { check_required("PERF-03,PERF-33", scaling); },
                            "--require PERF-33: expected PERF-02"),
            ErrorKind::kUsage);
  EXPECT_EQ(kind_of_refusal([&] { check_required("PERF-02", scaling); },
                            "PERF-02: no suite named by --suite judges it"),
            ErrorKind::kNotJudged);
  run("scaling");  // on the CPU
  EXPECT_NO_THROW(require_judged(results_, "", false));
  EXPECT_EQ(kind_of_refusal([&] { require_judged(results_, "SCALING", false); },
                            "SCALING: the runs used the CPU"),
            ErrorKind::kNotJudged);
  EXPECT_EQ(
      kind_of_refusal([&] { require_judged(results_, "", true); }, "suite scaling: the runs used"),
      ErrorKind::kNotJudged);
  // The same happens to EQUIV-BASELINE-FP32 if the baseline was skipped.
  EXPECT_EQ(kind_of_refusal([&] { require_judged(results_, "PRECISION", false); },
                            "PRECISION: the chosen suites gave no verdict with this id"),
            ErrorKind::kNotJudged);
  EXPECT_EQ(judged_text(all_verdicts(results_)),
            "requirements: judged 0 (passed 0), skipped 6: PERF-03, SCALING");
  EXPECT_THAT(benchmark_json(settings_, {}, results_, {}),
              HasSubstr("\"all_tests_passed\": false"));
}

// Two GPUs: the rows for 4 and 8 are skipped.
TEST_F(OnGpus, CountAWarningAsJudgedAndNotAsPassed) {
  const ScopedVariable waste("FAKE_WASTE", "0.1");
  run("scaling");
  EXPECT_EQ(kind_of_refusal([&] { check_required(",", find_suites("scaling")); }, "--require : "),
            ErrorKind::kUsage);
  EXPECT_NO_THROW(require_judged(results_, "PERF-03,SCALING", true));
  const std::string json = benchmark_json(settings_, {}, results_, {});
  for (const char* part : {"\"all_tests_passed\": true", "\"all_judged_passed\": false",
                           "\"judged\": 2", "\"passed\": 0", "\"skipped\": 4"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

TEST(FindSuites, TellsThoseThereAreOfAnUnknownName) {
  EXPECT_THAT(reason_of(ErrorKind::kUsage, [] { find_suites("memory,scalling"); }),
              testing::AllOf(HasSubstr("--suite scalling: expected throughput, scaling"),
                             HasSubstr("did you mean scaling?")));
}

}  // namespace
}  // namespace virnucpro
