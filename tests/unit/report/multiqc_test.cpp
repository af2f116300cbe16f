#include "report/multiqc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
  const auto json = nlohmann::json::parse(multiqc_general(facts()));
  EXPECT_EQ(json["plot_type"], "generalstats");
  const auto& row = json["data"]["reads"];
  EXPECT_EQ(row["virnucpro_virus_percent"], 25);
  EXPECT_FALSE(row.contains("virnucpro_rate"));  // not measured is not nothing
  for (const auto& [name, value] : row.items()) {
    const auto& columns = json["pconfig"];
    EXPECT_TRUE(std::any_of(columns.begin(), columns.end(), [&name = name](const auto& column) {
      return column.contains(name);
    })) << name;
  }
}

TEST(MultiQc, HasALineOfScores) {
  const std::string text = multiqc_scores(facts());
  EXPECT_THAT(text, HasSubstr("# plot_type: linegraph\n"));
  // MultiQC takes a first row for a sample unless its first cell is empty.
  EXPECT_THAT(text, HasSubstr("\n\t0.025\t"));
  EXPECT_THAT(text, HasSubstr("\nreads\t0\t"));
  EXPECT_TRUE(text.ends_with("\t5\n"));
}

TEST(MultiQc, NamesARunWithoutAStemByItsDirectory) {
  RunFacts unnamed = facts();
  unnamed.stem = "";
  unnamed.name = "out";
  EXPECT_TRUE(nlohmann::json::parse(multiqc_general(unnamed))["data"].contains("out"));
}

}  // namespace
}  // namespace virnucpro
