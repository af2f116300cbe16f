#include "report/multiqc.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_values.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

RunFacts facts() {
  RunFacts facts;
  facts.stem = "reads";
  facts.scores.counts.sequences = 8;
  facts.scores.counts.virus_sequences = 2;
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
   "virnucpro_unscored": 0
  })"));
  for (const char* column :
       {"0/virnucpro_sequences", "1/virnucpro_virus", "3/virnucpro_unscored", "4/virnucpro_rate"}) {
    EXPECT_TRUE(json.text(fmt::format("pconfig/{}/title", column))) << column;
  }
}

TEST(MultiQc, HasALineOfScores) {
  const std::string text = multiqc_scores(facts());
  EXPECT_THAT(text, HasSubstr("# plot_type: linegraph\n"));
  // For MultiQC the first row is a sample unless its first cell is empty.
  EXPECT_THAT(text, HasSubstr("\n\t0.025\t"));
  EXPECT_THAT(text, HasSubstr("\nreads\t0\t"));
  EXPECT_TRUE(text.ends_with("\t5\n"));
}

TEST(MultiQc, NamesARunWithoutAStemByItsDirectory) {
  RunFacts unnamed = facts();
  unnamed.stem = "";
  unnamed.name = "out";
  const JsonValues json(multiqc_general(unnamed), "virnucpro_mqc.json");
  EXPECT_EQ(json.number("data/out/virnucpro_sequences"), 8);
}

// The page shows names as HTML, a row that begins with # is a comment, and one that begins with =
// is a formula of a spreadsheet.
TEST(MultiQc, NamesAreOnlyNames) {
  struct Named {
    const char* stem;
    const char* sample;
  };
  for (const Named& named :
       {Named{"a<script>alert(1)</script>", "a_script_alert(1)_/script_"},
        Named{"#id: other", "_id: other"}, Named{"=cmd|' /C calc'!A0", "_cmd|_ /C calc_!A0"},
        Named{"-1+x", "_1+x"}, Named{"@sum", "_sum"}, Named{"+a&\"b`\\", "_a__b__"},
        Named{"reads-1.#2=3 d\u00e9j\u00e0", "reads-1.#2=3 d\u00e9j\u00e0"}}) {
    RunFacts named_so = facts();
    named_so.stem = named.stem;
    EXPECT_THAT(multiqc_scores(named_so), HasSubstr(fmt::format("\n{}\t0\t", named.sample)));
    EXPECT_THAT(multiqc_general(named_so), HasSubstr(fmt::format("\"{}\": {{", named.sample)));
  }
}

}  // namespace
}  // namespace virnucpro
