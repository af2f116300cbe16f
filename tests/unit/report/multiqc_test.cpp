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

}  // namespace
}  // namespace virnucpro
