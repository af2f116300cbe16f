#include "report/score_differences.hpp"

#include <gtest/gtest.h>

#include "unit/report/sample_run.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

ScoreDifferences differences(std::vector<SequencePart> first, std::vector<SequencePart> other) {
  const TempDir first_place;
  const TempDir other_place;
  const Journal a = sample_run(first_place.path(), std::move(first));
  const Journal b = sample_run(other_place.path(), std::move(other));
  return compare_scores({a, {}}, {b, {}}, Cancel());
}

TEST(ScoreDifferences, AreNoneBetweenEqualRuns) {
  const auto parts = {sample_part("a", 9, {0.9F, 0.1F}), sample_part("b", 9, {})};
  const ScoreDifferences found = differences(parts, parts);
  EXPECT_EQ(found.compared, 2U);
  EXPECT_EQ(found.equal, 1U);
  EXPECT_EQ(found.scored_once + found.other_calls, 0U);
  EXPECT_EQ(found.largest, 0);
  EXPECT_FALSE(found.parted);
}

TEST(ScoreDifferences, AreCountedBySize) {
  const ScoreDifferences found =
      differences({sample_part("a", 9, {0.5F}), sample_part("b", 9, {0.5F}),
                   sample_part("c", 9, {0.9F}), sample_part("d", 9, {0.5F})},
                  {sample_part("a", 9, {0.50005F}), sample_part("b", 9, {0.505F}),
                   sample_part("c", 9, {0.1F}), sample_part("d", 9, {})});
  EXPECT_EQ(found.compared, 4U);
  EXPECT_EQ(found.equal, 0U);
  EXPECT_EQ(found.by_bound, (std::array<std::uint64_t, 4>{1, 0, 1, 1}));
  EXPECT_NEAR(found.largest, 0.8, 1e-6);
  EXPECT_EQ(found.scored_once, 1U);
  EXPECT_EQ(found.other_calls, 2U);
}

TEST(ScoreDifferences, EndWhereTheSequencesPart) {
  const SequencePart a = sample_part("a", 9, {0.5F});
  const SequencePart b = sample_part("b", 9, {0.5F});
  const SequencePart longer = sample_part("b", 10, {0.5F});
  EXPECT_EQ(differences({a, b}, {a, longer}).parted, 2U);
  EXPECT_EQ(differences({a, b}, {a}).parted, 2U);
  EXPECT_EQ(differences({}, {a}).parted, 1U);
  EXPECT_EQ(differences({b, a}, {a, b}).compared, 0U);
}

}  // namespace
}  // namespace virnucpro
