#include "run/run_fingerprint.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "unit/made_cut_offs.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

// A journal from a stranger may say that its weights are synthetic, and name none.
TEST(SyntheticMark, NamesTheModelsThatAreKnown) {
  const TempDir folder;
  mark_synthetic(RunFolder(folder.path()),
                 {{kSyntheticKey, "true"}, {"esm2", "synthetic:esm2_tiny:0"}});
  const std::string text = read_text(folder / "SYNTHETIC_WEIGHTS");
  EXPECT_TRUE(
      text.ends_with("dnabert_s: not given\nesm2: synthetic:esm2_tiny:0\n"
                     "classifier: not given\n"))
      << text;
}

TEST(SyntheticMark, IsForSyntheticWeightsAlone) {
  const TempDir folder;
  mark_synthetic(RunFolder(folder.path()), {{kSyntheticKey, "false"}});
  mark_synthetic(RunFolder(folder.path()), {});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(RunFingerprint, KeepsTheNamesOfItsInputs) {
  PredictSettings settings;
  settings.inputs = {.paths = {"-", "b.fq", "in/c.fq", "d.fq"}, .paired = true};
  Journal::Fingerprint print = run_fingerprint(settings, {});
  EXPECT_THAT(input_names_of(print), testing::ElementsAre("stdin+b.fq", "in/c.fq+d.fq"));
  std::erase_if(print, [](const auto& entry) { return entry.first.starts_with("input_name_"); });
  const std::string here = std::filesystem::current_path().string();
  EXPECT_THAT(input_names_of(print),
              testing::ElementsAre("stdin+" + here + "/b.fq", here + "/in/c.fq+" + here + "/d.fq"))
      << "as of an earlier version";
}

// Returns the reason for which a run refuses a journal; empty if the run would go on with it.
std::string mismatch(const Journal::Fingerprint& journal, const Journal::Fingerprint& now) {
  return reason_of(ErrorKind::kJournalMismatch, [&] { require_same_run(journal, now, "run.db"); });
}

// Scores of another policy must not end up in one table with those of the run.
TEST(RequireSameRun, ComparesWhatInt8Keeps) {
  const Journal::Fingerprint all{{"precision", "int8"}, {kInt8KeepKey, "none"}};
  const Journal::Fingerprint some{{"precision", "int8"}, {kInt8KeepKey, "fc2"}};
  EXPECT_EQ(mismatch(some, some), "");
  EXPECT_EQ(mismatch({{"precision", "fp16"}}, {{"precision", "fp16"}}), "");
  EXPECT_THAT(mismatch(all, some), testing::HasSubstr("--int8-keep (was none, is fc2)"));
}

// Their digits differ, and version 0.2 gave both one name.
TEST(RequireSameRun, TellsAmxFromAvx512) {
  const Journal::Fingerprint amx{{"kernel_path", "cpu-amx-bf16"}, {kRefusesRnaKey, "true"}};
  const Journal::Fingerprint none{{"kernel_path", "cpu-avx512-bf16"}, {kRefusesRnaKey, "true"}};
  const Journal::Fingerprint old{{"kernel_path", "cpu-avx512-bf16"}};
  EXPECT_EQ(mismatch(none, none), "");
  for (const auto& [journal, now] :
       {std::pair(amx, none), std::pair(old, none), std::pair(old, amx)}) {
    EXPECT_THAT(mismatch(journal, now), testing::HasSubstr("the kernel path (was cpu-a"));
  }
}

// Everything that determines scores, their order or their units, as the journal and as messages
// name it. A run must not go on, nor shards be merged, with another value of one of these.
const std::vector<std::pair<std::string, std::string>> kCompared{
    {"inputs", "the number of inputs"},
    {"paired", "--paired"},
    {"shard", "--shard"},
    {"chunk_size", "the chunk size"},
    {"genetic_code", "--genetic-code"},
    {"rna", "--rna"},
    {"min_length", "--min-length"},
    {"keep_intermediate", "--keep-intermediate"},
    {"dnabert_s_hash", "the weights of DNABERT-S"},
    {"tokenizer_hash", "the tokenizer of DNABERT-S"},
    {"esm2_hash", "the weights of ESM-2"},
    {"classifier_hash", "the classifier"},
    {"precision", "the precision"},
    {"int8_keep", "--int8-keep"},
    {"margin", "--margin"},
    {"check_precision", "--check-precision"},
    {"calibration", "--calibration"},
    {"kernel_path", "the kernel path"},
    {"numerics_version", "the numerics version"},
    {"cutting", "how sequences are cut into units"},
    {"sharding", "how sequences are divided among shards"},
};

Journal::Fingerprint whole_print() {
  Journal::Fingerprint print;
  for (const auto& [key, name] : kCompared) print[key] = key == "shard" ? "1/3" : "7";
  return print;
}

TEST(RequireSameRun, ComparesEachSettingThatDeterminesScores) {
  const Journal::Fingerprint journal = whole_print();
  EXPECT_EQ(mismatch(journal, journal), "");
  for (const auto& [key, name] : kCompared) {
    Journal::Fingerprint now = journal;
    now[key] = key == "shard" ? "2/3" : "8";
    EXPECT_EQ(mismatch(journal, now), fmt::format("changed since the run began: {} (was {}, is {})",
                                                  name, journal.at(key), now[key]));
  }
}

TEST(RequireSameRun, TakesOtherEntriesAsTheyCome) {
  Journal::Fingerprint now = whole_print();
  for (const char* key : {"min_share", "rule", "input_000000", "stem", "program_version"}) {
    now[key] = "8";
  }
  EXPECT_EQ(mismatch(whole_print(), now), "");
}

// Runs of the standard code, and of DNA, have no entry for these.
TEST(RequireSameRun, KnowsWhatAMissingEntryMeans) {
  EXPECT_EQ(mismatch({}, {{"genetic_code", "1"}, {"rna", "false"}}), "");
  EXPECT_EQ(mismatch({}, {{"genetic_code", "11"}}),
            "changed since the run began: --genetic-code (was 1, is 11)");
  EXPECT_EQ(mismatch({}, {{"rna", "true"}}),
            "changed since the run began: --rna (was false, is true)");
}

TEST(SharedSettings, AreAllButTheNumberOfTheShard) {
  const std::string shared = shared_settings(whole_print());
  for (const auto& [key, name] : kCompared) {
    Journal::Fingerprint other = whole_print();
    other[key] = key == "shard" ? "1/4" : "8";
    EXPECT_NE(shared_settings(other), shared) << key;
  }
  Journal::Fingerprint second = whole_print();
  second["shard"] = "2/3";
  EXPECT_EQ(shared_settings(second), shared);
}

TEST(RuleOf, ReadsEachEntry) {
  const CallRule usual = rule_of({});
  EXPECT_EQ(usual, CallRule());
  EXPECT_EQ(rule_of({{"min_score", "0.8"}, {"min_share", "0.25"}}), CallRule(0.8, 0.25));
  CallRule rule(0.8, CallRule::kDefaultMinShare);
  RollupRule numbers;
  numbers.min_weighted_delta = 0.4;
  rule.set_viral_ngs(numbers);
  const Journal::Fingerprint print{{"min_score", "0.8"}, {"rollup", text_of(numbers)}};
  EXPECT_EQ(rule_of(print), rule);
  rule.use_viral_ngs(kHighTier);
  Journal::Fingerprint viral_ngs = print;
  viral_ngs["rule"] = "viral-ngs";
  viral_ngs["min_tier"] = "high";
  EXPECT_EQ(rule_of(viral_ngs), rule);
  EXPECT_EQ(rule_entries(rule, {}).at("min_tier"), "high");
}

// Version 0.1 called the share a threshold.
TEST(RuleOf, ReadsTheThresholdOfEarlierRuns) {
  EXPECT_EQ(rule_of({{"threshold", "0.75"}}), CallRule(0, 0.75));
  EXPECT_EQ(rule_of({{"threshold", "0.75"}, {"min_share", "0.25"}}), CallRule(0, 0.25));
}

TEST(RuleOf, ReadsCutOffs) {
  const CallRule rule = rule_with(RuleName::kViralNgs, {0.7, std::nullopt, 0.9});
  Journal::Fingerprint print = rule_entries(rule, {});
  EXPECT_EQ(rule_of(print), rule);
  EXPECT_EQ(rule_of(print).cut_offs()->file, "cutoff.json");
  EXPECT_FALSE(rule_of(rule_entries({}, {})).cut_offs());
  const std::string whole = print["cut_offs"];
  for (const std::size_t size :
       {std::size_t{5}, std::size_t{11}, std::size_t{12}, std::size_t{20}, whole.size() - 1}) {
    print["cut_offs"] = whole.substr(0, size);
    try {
      (void)rule_of(print);
      ADD_FAILURE() << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kJournalDamaged);
    }
  }
}

TEST(CutOffsOfARun, MustBeOfItsModelsAndSettings) {
  CutOffs cut_offs = made_cut_offs(RuleName::kMajority, {0.7, 0.8, 0.9});
  cut_offs.made_for = settings_of_cut_offs(whole_print());
  EXPECT_NO_THROW(require_made_for(cut_offs, whole_print()));
  int compared = 0;
  for (const auto& [key, name] : kCompared) {
    Journal::Fingerprint other = whole_print();
    other[key] = key == "shard" ? "1/4" : "8";
    if (!cut_offs.made_for.contains(name)) {
      EXPECT_NO_THROW(require_made_for(cut_offs, other)) << key;
      continue;
    }
    ++compared;
    try {
      require_made_for(cut_offs, other);
      ADD_FAILURE() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCutOffs);
      EXPECT_NE(error.detail().find(name), std::string::npos) << error.detail();
    }
  }
  EXPECT_EQ(compared, 9);
  cut_offs.made_for["a setting of later"] = "1";
  EXPECT_THROW(require_made_for(cut_offs, whole_print()), Error);
}

}  // namespace
}  // namespace virnucpro
