#include "run/labelled_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace virnucpro {
namespace {

// tests/oracle/test_cut_offs.py compares areas, bounds and chosen cut-offs with scikit-learn and
// SciPy.

std::vector<LabelledScore> sample() {
  return {{.score = 0.2},
          {.score = 0.9, .is_virus = true},
          {.score = 0.9},
          {.score = 1, .is_virus = true},
          {.score = 0.4, .is_virus = true},
          {.score = 0.2}};
}

TEST(LabelledScores, HaveAPointForEachDifferentScore) {
  const std::vector<LabelledScores::Point> points = LabelledScores(sample(), false).points();
  ASSERT_EQ(points.size(), 4U);
  const std::vector<double> cut_offs{1, 0.9, 0.4, 0.2};
  const std::vector<std::uint64_t> found{1, 2, 3, 3};
  const std::vector<std::uint64_t> false_calls{0, 1, 1, 3};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(points[k].cut_off, cut_offs[k]);
    EXPECT_EQ(points[k].found, found[k]);
    EXPECT_EQ(points[k].false_calls, false_calls[k]);
  }
}

TEST(LabelledScores, HaveNoAreaWithOneOriginAlone) {
  for (const bool is_virus : {false, true}) {
    const LabelledScores scores({{.score = 0.5, .is_virus = is_virus}}, false);
    EXPECT_FALSE(scores.roc_auc());
    EXPECT_FALSE(scores.average_precision());
  }
  const LabelledScores none({}, true);
  EXPECT_EQ(none.others(), 0U);
  EXPECT_EQ(none.at(2, 0.95).bound, 1) << "nothing is known";
  EXPECT_FALSE(none.smallest(0.5, 0.95, 0));
}

TEST(LabelledScores, CountTheirGroups) {
  std::vector<LabelledScore> scores = sample();
  for (std::size_t k = 0; k < scores.size(); ++k) scores[k].group = k < 3 ? 4 : 9;
  const LabelledScores grouped(scores, true);
  EXPECT_EQ(grouped.groups_of_others(), 2U) << "groups of others alone";
  EXPECT_EQ(LabelledScores(scores, false).groups_of_others(), 3U);
}

TEST(LabelledScores, AreAsManyAsTheirGroupsIfGroupsAgree) {
  std::vector<LabelledScore> scores;
  for (std::uint32_t group = 0; group < 50; ++group) {
    for (int k = 0; k < 20; ++k) scores.push_back({.score = group < 5 ? 0.9 : 0.1, .group = group});
  }
  const CutOffFigures figures = LabelledScores(scores, true).at(0.5, 0.95);
  EXPECT_EQ(figures.false_calls, 100U);
  EXPECT_GT(figures.effective, 40);
  EXPECT_LT(figures.effective, 60);
  EXPECT_NEAR(LabelledScores(scores, true).at(2, 0.95).bound, 1 - std::pow(0.05, 1.0 / 50), 1e-9);
}

TEST(LabelledScores, AreCountedByScore) {
  const auto bins = LabelledScores(sample(), false).reliability(0, 1, 5);
  ASSERT_EQ(bins.size(), 5U);
  EXPECT_EQ(bins[1].others, 2U);
  EXPECT_EQ(bins[2].viruses, 1U);
  EXPECT_EQ(bins[4].viruses, 2U) << "1 is in the last bin";
  EXPECT_EQ(bins[4].others, 1U);
  EXPECT_NEAR(bins[4].mean_score, 2.8 / 3, 1e-12);
  EXPECT_EQ(LabelledScores({{.score = -1}}, false).reliability(-1, 1, 10)[0].others, 1U);
}

}  // namespace
}  // namespace virnucpro
