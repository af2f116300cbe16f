#include "report/multiqc.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/json.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

RunFacts facts() {
  RunFacts facts;
  facts.sample = "reads";
  facts.scores.counts.sequences = 8;
  facts.scores.counts.virus_sequences = 2;
  facts.scores.counts.unscored_sequences = 1;
  facts.finished = true;
  facts.scores.frames_by_score[19] = 5;
  return facts;
}

TEST(MultiQc, HasTheColumnsOfTheGeneralStatistics) {
  const std::string text = multiqc_general(facts());
  const JsonValues json(text, "virnucpro_mqc.json");
  EXPECT_EQ(json.text("plot_type"), "generalstats");
  EXPECT_EQ(json.number("data/reads/virnucpro_virus_percent"), 25);
  EXPECT_EQ(json.text("pconfig/2/virnucpro_virus_percent/title"), "% virus");
  // Every column is described; unmeasured ones have no value.
  EXPECT_THAT(text, HasSubstr(R"("data": {
  "reads": {
   "virnucpro_sequences": 8,
   "virnucpro_virus": 2,
   "virnucpro_virus_percent": 25.0,
   "virnucpro_ambiguous": 0,
   "virnucpro_unscored_percent": 12.5
  })"));
  for (const char* column :
       {"0/virnucpro_sequences", "1/virnucpro_virus", "3/virnucpro_ambiguous",
        "4/virnucpro_unscored_percent", "5/virnucpro_rate", "6/virnucpro_remarks"}) {
    EXPECT_TRUE(json.text(fmt::format("pconfig/{}/title", column))) << column;
  }
}

TEST(MultiQc, RemarksWhatTheCallsAreWorth) {
  RunFacts odd = facts();
  odd.synthetic = true;
  odd.finished = false;
  odd.inputs = {{.name = "a.fa"}, {.name = "b.fa", .failed = true}};
  odd.scores.counts.failed_frames = 3;
  EXPECT_EQ(JsonValues(multiqc_general(odd), "").text("data/reads/virnucpro_remarks"),
            "synthetic weights: the calls mean nothing; the run did not finish; 1 of 2 inputs "
            "failed; 3 frames failed");
}

TEST(MultiQc, HasBarsOfCalls) {
  const JsonValues json(multiqc_calls(facts()), "virnucpro_calls_mqc.json");
  EXPECT_EQ(json.text("plot_type"), "bargraph");
  EXPECT_EQ(json.number("data/reads/virus"), 2);
  EXPECT_EQ(json.number("data/reads/others"), 5);
  EXPECT_EQ(json.number("data/reads/unscored"), 1);
}

TEST(MultiQc, TellsTheVersionThatScored) {
  RunFacts old = facts();
  old.fingerprint["program_version"] = "0.1.0\n: {}";
  EXPECT_EQ(multiqc_versions(old), "virnucpro: \"0.1.0\\n: {}\"\n");
}

TEST(MultiQc, HasALineOfScores) {
  const std::string text = multiqc_scores(facts());
  EXPECT_THAT(text, HasSubstr("# plot_type: linegraph\n"));
  // For MultiQC the first row is a sample unless its first cell is empty.
  EXPECT_THAT(text, HasSubstr("\n\t0.025\t"));
  EXPECT_THAT(text, HasSubstr("\nreads\t0\t"));
  EXPECT_TRUE(text.ends_with("\t5\n"));
}

TEST(MultiQc, NamesARunWithoutANameByItsDirectory) {
  RunFacts unnamed = facts();
  unnamed.sample = "";
  unnamed.name = "out";
  const JsonValues json(multiqc_general(unnamed), "virnucpro_mqc.json");
  EXPECT_EQ(json.number("data/out/virnucpro_sequences"), 8);
}

// The page shows names as HTML, a row that begins with # is a comment, and one that begins with =
// is a formula of a spreadsheet.
TEST(MultiQc, NamesAreOnlyNames) {
  for (const auto& [given, sample] :
       {std::pair{"a<script>alert(1)</script>", "a_script_alert(1)_/script_"},
        {"#id: other", "_id: other"},
        {"=cmd|' /C calc'!A0", "_cmd|_ /C calc_!A0"},
        {"-1+x", "_1+x"},
        {"@sum", "_sum"},
        {"+a&\"b`\\", "_a__b__"},
        {"reads-1.#2=3 d\u00e9j\u00e0", "reads-1.#2=3 d\u00e9j\u00e0"}}) {
    RunFacts named_so = facts();
    named_so.sample = given;
    EXPECT_THAT(multiqc_scores(named_so), HasSubstr(fmt::format("\n{}\t0\t", sample)));
    EXPECT_THAT(multiqc_general(named_so), HasSubstr(fmt::format("\"{}\": {{", sample)));
  }
}

}  // namespace
}  // namespace virnucpro
