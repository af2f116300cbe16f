#include "run/merge.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "journal/kept_run.hpp"
#include "journal/sqlite.hpp"
#include "run/run_fingerprint.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const InputEntry kEntry{.name = "a.fa", .records = 3, .bytes = 900, .hash = "00ff"};

SequencePart sequence(const std::string& id, std::uint64_t length, std::vector<FrameScore> frames) {
  return {.input = 0, .id = id, .length = length, .chunks = 1, .frames = std::move(frames)};
}

FrameScore score(float others, float virus) {
  return {.chunk = 0, .name = 0, .scores = {.others = others, .virus = virus}};
}

// The contents of one shard's finished run; each test changes one of them.
struct ShardRun {
  Journal::Fingerprint print{};
  InputEntry entry = kEntry;
  std::vector<SequencePart> parts{};
  bool finished = true;
};

// Two shards of a run over three sequences. Lengths deal `a` and `c` to the first.
ShardRun shard_run(std::uint64_t index) {
  PredictSettings settings;
  settings.inputs.paths = {"a.fa"};
  settings.stem = "x";
  settings.classifier_name = "500";
  settings.shard = {.index = index, .count = 2};
  ShardRun run{.print = run_fingerprint(settings, {{"precision", "fp32"}, {"esm2_hash", "11"}})};
  if (index == 0) {
    run.parts = {sequence("a", 400, {score(0.25F, 0.75F)}),
                 sequence("c", 200, {score(0.9F, 0.1F)})};
  } else {
    run.parts = {sequence("b", 500, {score(0.25F, 0.5F)})};
  }
  return run;
}

struct Merges : testing::Test {
  const TempDir directory;
  const std::filesystem::path out = directory / "out";

  void write(std::uint64_t index, const ShardRun& run) const {
    const std::filesystem::path folder = directory / fmt::format("s{}", index);
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    Journal journal = Journal::create(folder / "run.db", run.print);
    journal.append({.input = 0, .index = 0, .parts = run.parts});
    journal.record_input(0, run.entry);
    if (run.finished) journal.finish();
  }
  void SetUp() override {
    for (std::uint64_t k = 0; k < 2; ++k) write(k, shard_run(k));
  }
  MergeSettings settings() const {
    return {
        .runs = {directory / "s0", directory / "s1"}, .output = out, .existing = Existing::kResume};
  }
  MergeSummary merge(const MergeSettings& settings) const { return merge_runs(settings, Cancel()); }
  MergeSummary merge() const { return merge(settings()); }
  std::string rows() const { return read_text(out / "sequences.tsv"); }

  // Returns the reason for which a merge of these shards is refused.
  std::string refusal(ErrorKind kind, const MergeSettings& settings) const {
    const auto error = caught([&] { merge(settings); });
    if (!error) return "merged";
    EXPECT_EQ(error->kind(), kind) << error->what();
    return fmt::format("{}\n{}", error->what(), error->remedy());
  }
  // The same where the second shard is another one.
  std::string refusal(const std::function<void(ShardRun&)>& change) const {
    ShardRun other = shard_run(1);
    change(other);
    write(1, other);
    return refusal(ErrorKind::kShards, settings());
  }
};

TEST_F(Merges, GiveTheSequencesInInputOrder) {
  const MergeSummary summary = merge();
  ASSERT_TRUE(summary.written);
  EXPECT_FALSE(summary.partial);
  EXPECT_EQ(summary.written->counts.sequences, 3U);
  EXPECT_THAT(rows(), HasSubstr("\na\t400\t1\t1\t1\t1\t0.75\t0.75\tvirus\tNA\ta.fa\n"
                                "b\t500\t1\t1\t1\t1\t0.5\t0.5\tvirus\tNA\ta.fa\n"
                                "c\t200\t1\t1\t1\t0\t0.1\t0.1\tothers\tNA\ta.fa\n"));
  const Journal::Fingerprint print = KeptRun(out, Cancel()).fingerprint();
  EXPECT_EQ(print.at("shard"), "0/1");
  EXPECT_EQ(print.at("merged_shards"), "2");
  EXPECT_EQ(print.at("merged_failed_frames"), "0");
}

TEST_F(Merges, CountFailedFrames) {
  ShardRun failed = shard_run(1);
  failed.parts[0].frames = {score(0.25F, 0.5F),
                            {.chunk = 0, .name = 1, .failed = true},
                            {.chunk = 0, .name = 2, .failed = true}};
  write(1, failed);
  MergeSettings with_bed = settings();
  with_bed.tables.bed = true;
  EXPECT_TRUE(merge(with_bed).partial);
  EXPECT_EQ(KeptRun(out, Cancel()).fingerprint().at("merged_failed_frames"), "2");
  EXPECT_THAT(rows(), HasSubstr("\nb\t500\t1\t1\t1\t1\t0.5\t0.5\tvirus\tfailed: 2 frames\ta.fa\n"));
  EXPECT_THAT(read_text(out / "chunks.bed"), HasSubstr("b\t0\t500\tvirus\t500\t.\t0.25\t0.5\t1\n"));
  EXPECT_TRUE(merge(with_bed).partial) << "also where nothing is left to do";
}

TEST_F(Merges, NeedEachSettingAlike) {
  using Setting = std::array<std::string, 3>;  // its key and value, and what is told of it
  for (const Setting& one :
       {Setting{"esm2_hash", "12", "the weights of ESM-2 (is 12 instead of 11)"},
        Setting{"precision", "fp16", "the precision (is fp16 instead of fp32)"},
        Setting{"shard", "1/3", "the number of shards (is 3 instead of 2)"}}) {
    EXPECT_THAT(refusal([&](ShardRun& run) { run.print[one[0]] = one[1]; }), HasSubstr(one[2]));
  }
}

TEST_F(Merges, NeedTheSameInputs) {
  const std::string not_that = "sequences) differs from input a.fa of ";
  EXPECT_THAT(refusal([](ShardRun& run) { ++run.entry.records; }), HasSubstr(not_that));
  EXPECT_THAT(refusal([](ShardRun& run) { ++run.entry.bytes; }), HasSubstr(not_that));
  EXPECT_THAT(refusal([](ShardRun& run) { run.entry.hash = "00fe"; }), HasSubstr(not_that))
      << "of the same size";
  EXPECT_THAT(refusal([](ShardRun& run) {
                run.entry.failed = true;
                run.entry.error = "input-truncated";
              }),
              AllOf(HasSubstr("it could not process its input a.fa"), HasSubstr("--resume")));
}

TEST_F(Merges, NeedOneRule) {
  const auto with = [](const char* key, const std::string& value) {
    return [key, value](ShardRun& run) { run.print[key] = value; };
  };
  const auto another = HasSubstr("its calls are by another rule");
  EXPECT_THAT(refusal(with("rule", "viral-ngs")), another);
  EXPECT_THAT(refusal(with("min_score", "0.5")), another);
  EXPECT_THAT(refusal(with("min_share", "0.75")), another);
  EXPECT_FALSE(std::filesystem::exists(out));
  RollupRule numbers;
  numbers.min_chunks = 2;
  EXPECT_EQ(refusal(with("rollup", text_of(numbers))), "merged") << "majority has no such numbers";
  std::filesystem::remove_all(out);
  for (std::uint64_t k = 0; k < 2; ++k) {
    ShardRun run = shard_run(k);
    run.print["rule"] = "viral-ngs";
    if (k == 1) run.print["rollup"] = text_of(numbers);
    write(k, run);
  }
  EXPECT_THAT(refusal(ErrorKind::kShards, settings()), another);
}

TEST_F(Merges, NeedFinishedShardsEachOnce) {
  EXPECT_THAT(refusal([](ShardRun& run) { run.finished = false; }),
              HasSubstr("(shard 1): it did not finish: it has 1 sequences so far, and 1 of 1"));
  EXPECT_THAT(refusal([](ShardRun& run) { run.print["shard"] = "0/2"; }),
              AllOf(HasSubstr("missing shards: 1 (1 of 2)"), HasSubstr("holds the same shard")));
  EXPECT_THAT(refusal([](ShardRun& run) { run.print["sharding"] = "letters"; }),
              HasSubstr("how sequences are divided among shards"));
}

TEST_F(Merges, NeedTheSequencesOfTheirInputs) {
  EXPECT_THAT(refusal([](ShardRun& run) { run.parts.push_back(run.parts[0]); }),
              HasSubstr("its journal has more sequences than its part of the inputs"));
  EXPECT_THAT(refusal([](ShardRun& run) { run.parts[0].last = false; }),
              HasSubstr("its journal lacks sequences of its part of the inputs"));
}

TEST_F(Merges, DoNothingTwice) {
  merge();
  EXPECT_FALSE(merge().written);
  write_text(out / "sequences.tsv", "");
  EXPECT_FALSE(merge().written) << "what a user does to the files is not looked at";
}

TEST_F(Merges, WriteWhatAnEarlierOneHasNot) {
  merge();
  MergeSettings more = settings();
  more.tables.bed = true;
  EXPECT_TRUE(merge(more).written);
  EXPECT_FALSE(merge(more).written);
  std::filesystem::remove(out / "x_merged/prediction_results.txt");
  EXPECT_TRUE(merge(more).written);
  more.rule.min_score = 0.6;
  EXPECT_TRUE(merge(more).written) << "by another rule";
  EXPECT_THAT(rows(), HasSubstr("\nb\t500\t1\t1\t1\t0\t0.5\t0.5\tothers\t"));
  EXPECT_FALSE(merge(more).written);
  more.rule = {};
  EXPECT_FALSE(merge(more).written) << "the rule of the merge stays";
  more.tables.natural_order = true;
  EXPECT_TRUE(merge(more).written);
  more.rule.name = RuleName::kViralNgs;
  EXPECT_TRUE(merge(more).written);
  EXPECT_TRUE(std::filesystem::exists(out / "contigs.tsv"));
  std::filesystem::remove(out / "contigs.tsv");
  EXPECT_TRUE(merge(more).written);
}

// Everything by which a merge knows the shards that it was made from.
TEST_F(Merges, DoNotGoOnWithOtherShards) {
  merge();
  ShardRun other = shard_run(1);
  other.parts[0].frames[0].scores.virus = 0.625F;
  write(1, other);
  EXPECT_THAT(refusal(ErrorKind::kJournalMismatch, settings()),
              HasSubstr("it was merged from other shards"));
  write(1, shard_run(1));
  EXPECT_FALSE(merge().written) << "the first shards again";
  for (std::uint64_t k = 0; k < 2; ++k) {
    ShardRun one = shard_run(k);
    one.print["esm2_hash"] = "12";
    write(k, one);
  }
  EXPECT_THAT(refusal(ErrorKind::kJournalMismatch, settings()),
              HasSubstr("it was merged from other shards"));
  for (std::uint64_t k = 0; k < 2; ++k) write(k, shard_run(k));
  SqliteDatabase(out / "run.db", nullptr).execute("DELETE FROM completion");
  EXPECT_THAT(refusal(ErrorKind::kJournalMismatch, settings()), HasSubstr("run.db"));
}

TEST_F(Merges, StartOverWhereTheyAreAskedTo) {
  merge();
  ShardRun other = shard_run(1);
  other.parts[0].frames[0].scores.virus = 0.625F;
  write(1, other);
  MergeSettings again = settings();
  again.start_over = true;
  EXPECT_TRUE(merge(again).written);
  EXPECT_THAT(rows(), HasSubstr("\nb\t500\t1\t1\t1\t1\t0.625\t0.625\tvirus\t"));
}

TEST_F(Merges, DoNotReplaceARun) {
  std::filesystem::copy(directory / "s0", out);
  EXPECT_THAT(refusal(ErrorKind::kJournalMismatch, settings()), HasSubstr("no merge wrote it"));
}

}  // namespace
}  // namespace virnucpro
