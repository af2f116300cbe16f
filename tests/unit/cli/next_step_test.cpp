#include "cli/next_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace virnucpro {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A run whose inputs need not exist: what is no regular file counts as a pipe.
struct EndedRun {
  PredictSettings settings;
  RunSummary summary;

  explicit EndedRun(const std::string& input) {
    settings.inputs.paths = {input};
    settings.output = "my out";
    settings.stem = "reads";
    summary.counts.sequences = 10;
    summary.counts.virus_sequences = 3;
    summary.counts.chunks_scored = 10;
  }
  std::string next(bool reports = true) const { return next_step(settings, summary, reports); }
};

TEST(NextStep, OfViruses) {
  EndedRun pipe("-");
  EXPECT_EQ(pipe.next(), "open my out/report.html") << "a pipe cannot be read again";
  pipe.summary.counts.chunks_scored = 11;
  EXPECT_EQ(pipe.next(),
            "virnucpro export 'my out' --rule viral-ngs    # writes calls by viral-ngs");
  pipe.settings.rule.use_viral_ngs();
  EXPECT_EQ(pipe.next(false), "virnucpro report 'my out'");
}

TEST(NextStep, OfNoViruses) {
  EndedRun run("-");
  run.summary.counts.chunks_scored = 11;
  run.summary.counts.virus_sequences = 0;
  EXPECT_EQ(run.next(), "open my out/report.html");
  run.summary.counts.unscored_sequences = 10;
  EXPECT_EQ(run.next(), "see why no sequence was scored: column reason of my out/sequences.tsv");
}

TEST(NextStep, OfAPartOfARun) {
  EndedRun run("-");
  run.settings.shard = {.index = 1, .count = 4};
  EXPECT_EQ(run.next(), "when all 4 shards are done: virnucpro merge 'my out' ... -o DIR");
  InputEntry failed;
  failed.failed = true;
  run.summary.inputs = {InputEntry(), failed};
  EXPECT_THAT(run.next(), HasSubstr("my out/failed_inputs.txt names, then"));
}

TEST(NextStep, OfTablesThatLackAnInput) {
  InputEntry failed;
  failed.failed = true;
  ExportSummary summary;
  summary.inputs = {failed};
  summary.finished = true;
  summary.tables = "out/reads_merged";
  EXPECT_EQ(next_step(summary, Written::kByExport),
            "repair the inputs that out/failed_inputs.txt names, then run virnucpro predict again "
            "with --resume");
  EXPECT_THAT(next_step(summary, Written::kByMerge),
              HasSubstr("then run virnucpro predict --resume again for every shard, and then "
                        "virnucpro merge --force-resume"));
}

TEST(NextStep, OfSyntheticWeights) {
  EndedRun run("-");
  run.summary.synthetic = true;
  EXPECT_THAT(run.next(), StartsWith("virnucpro download "));
  run.settings.to_stdout = true;
  EXPECT_THAT(run.next(), StartsWith("virnucpro download "));
  run.summary.synthetic = false;
  EXPECT_EQ(run.next(), "");
}

// predict's options, as far as they matter here.
struct Resumed {
  Command program{"virnucpro", ""};
  bool on = false;
  std::string text;

  Resumed() {
    program.add_value("-c,--config", text, "", "FILE");
    program.add_flag("-q,--quiet", on, "");
    Command& predict = program.add_command("predict", "");
    predict.add_argument("INPUT", &text, "");
    predict.add_value("-o,--output", text, "", "DIR");
    for (const char* names : {"-f,--force", "-k,--keep", "--resume", "--force-resume"}) {
      predict.add_flag(names, on, "");
    }
    predict.action = [](Session&) { return 0; };
  }

  std::string of(const std::vector<const char*>& words) {
    parse_command_line(program, words);
    return resuming_command(program, {words.begin(), words.end()});
  }
};

TEST(ResumingCommand, HasResumeInPlaceOfForce) {
  const auto resumed = [](const std::vector<const char*>& words) { return Resumed().of(words); };
  EXPECT_EQ(resumed({"virnucpro", "predict", "a b.fa"}), "virnucpro predict 'a b.fa' --resume");
  EXPECT_EQ(resumed({"v", "predict", "a", "--resume"}), "v predict a --resume");
  EXPECT_EQ(resumed({"v", "predict", "a", "--force-resume"}), "v predict a --force-resume");
  for (const char* force : {"-f", "--force", "--force=true"}) {
    EXPECT_EQ(resumed({"v", "predict", force, "a"}), "v predict a --resume");
  }
  EXPECT_EQ(resumed({"v", "predict", "-kfqo", "f", "a"}), "v predict -kqo f a --resume");
  EXPECT_EQ(resumed({"v", "predict", "-of", "a"}), "v predict -of a --resume");
  EXPECT_EQ(resumed({"v", "-cf", "predict", "-", "-q"}), "v -cf predict - -q --resume");
  EXPECT_EQ(resumed({"v", "predict", "-q", "--", "-f"}), "v predict -q --resume -- -f");
}

}  // namespace
}  // namespace virnucpro
