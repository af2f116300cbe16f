#include "measure/compare/compare_outputs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "measure/compare/comparison_report.hpp"
#include "unit/measure/compare/compare_files.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

const DatasetComparison& only(const Comparison& comparison) {
  EXPECT_EQ(comparison.datasets.size(), 1U);
  return comparison.datasets.front();
}

TEST(Tolerance, IsThatOfNumpy) {
  const Tolerance tolerance{.relative = 0.25, .absolute = 0.5};
  EXPECT_TRUE(is_within(1.75, 1, tolerance));
  EXPECT_FALSE(is_within(1.7501, 1, tolerance));
  EXPECT_TRUE(is_within(-0.5, 0, tolerance));
  EXPECT_TRUE(is_within(3.5, 5, tolerance));  // the tolerance is relative to b
  EXPECT_FALSE(is_within(5, 3.5, tolerance));
}

TEST(Compare, SameBytesAreIdentical) {
  const std::string rows = "a\tvirus\t0.1\t0.9\nb\tothers\t0.8\t0.2\n";
  const Comparison result = compare_frames(rows, rows);
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(only(result).identical, 2U);
  EXPECT_EQ(only(result).labels->equal, 2U);
  EXPECT_EQ(only(result).numbers.values, 4U);
  EXPECT_EQ(only(result).numbers.within, 4U);
  EXPECT_FALSE(only(result).largest);
  EXPECT_THAT(comparison_text(result), testing::EndsWith("\nidentical\n"));
}

TEST(Compare, WithinToleranceIsEqualButNotIdentical) {
  const std::string a = "a\tvirus\t0.1\t0.9\n";
  const std::string b = "a\tvirus\t0.10001\t0.899999\n";
  const Comparison result = compare_frames(a, b);
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(only(result).identical, 0U);
  EXPECT_EQ(only(result).within, 1U);
  EXPECT_NEAR(only(result).numbers.absolute.maximum, 1e-5, 1e-12);
  EXPECT_NEAR(only(result).numbers.absolute.average, 5.5e-6, 1e-12);
  EXPECT_NEAR(only(result).numbers.relative.maximum, 1e-5 / 0.10001, 1e-12);
  EXPECT_THAT(comparison_text(result),
              testing::EndsWith("\nlabels equal, numbers within tolerance\n"));

  const Comparison exact = compare_frames(a, b, {.exact = true});
  EXPECT_FALSE(exact.equal());
  EXPECT_EQ(only(exact).first_differing.at(0).cause, Cause::kNumber);
  EXPECT_EQ(only(exact).first_differing.at(0).column, "score1");
}

std::string last_line(const Comparison& comparison) {
  const std::string text = comparison_text(comparison);
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST(Compare, GivesItsVerdictOnLabelsFirst) {
  const std::string a = "a\tvirus\t0.1\t0.9\nb\tvirus\t0.1\t0.9\n";
  EXPECT_EQ(last_line(compare_frames(a, "a\tvirus\t0.1\t0.9\nb\tvirus\t0.2\t0.9\n")),
            "labels equal, numbers beyond tolerance\n");
  EXPECT_EQ(last_line(compare_frames(a, "a\tvirus\t0.1\t0.9\nb\tothers\t0.1\t0.9\n")),
            "labels differ, numbers within tolerance\n");
  EXPECT_EQ(last_line(compare_frames(a, "b\tothers\t0.9\t0.1\n")),
            "labels differ, numbers beyond tolerance\n");
  EXPECT_EQ(last_line(compare_frames(a, "a\tvirus\t0.1\t0.9\n")),
            "labels equal, numbers within tolerance, but rows differ\n");
}

TEST(ToleranceOf, IsThatOfTheCoarserPrecision) {
  EXPECT_EQ(tolerance_of("fp16", "fp32").absolute, 2e-2);
  EXPECT_EQ(tolerance_of("fp16", "fp32").usual, 5e-3);
  EXPECT_EQ(tolerance_of("bf16", "fp16").precision, "bf16");
  EXPECT_EQ(tolerance_of("", "int8").absolute, 1e-1);
  EXPECT_EQ(tolerance_of("int8", "fp16").of_embeddings().absolute, 5e-1);
  for (const char* other : {"fp32", "", "fp99"}) {
    EXPECT_EQ(tolerance_of("fp32", other).absolute, Tolerance{}.absolute);
    EXPECT_EQ(tolerance_of(other, "fp32").of_embeddings().absolute, Tolerance{}.absolute);
  }
}

// Of 200 scores, two may differ by more than the bound for 99 %.
TEST(Compare, AllowsOfAPrecisionFewLargeDifferences) {
  const auto frames = [](int large) {
    std::string rows;
    for (int k = 0; k < 100; ++k) {
      rows += fmt::format("r{}\tvirus\t0.1\t{}\n", k, k < large ? 0.91 : 0.9001);
    }
    return rows;
  };
  const Tolerance fp16 = tolerance_of("fp16", "fp32");
  EXPECT_TRUE(compare_frames(frames(0), frames(2), fp16).equal());
  const Comparison more = compare_frames(frames(0), frames(3), fp16);
  EXPECT_FALSE(more.equal());
  EXPECT_EQ(last_line(more), "labels equal, numbers beyond tolerance\n");
  EXPECT_THAT(comparison_text(more), HasSubstr("over the 99 % bound  3 of 200 (1.50 %)"));
  EXPECT_THAT(comparison_text(more),
              HasSubstr("for fp16: |a - b| <= 0.02, and <= 0.005 for 99 % of the numbers"));
}

TEST(Compare, OneNumberInOtherDigitsIsEqualUnlessExact) {
  const Comparison result = compare_frames("a\tvirus\t0.1\t0.9\n", "a\tvirus\t1e-1\t0.90\n");
  EXPECT_EQ(only(result).within, 1U);
  EXPECT_FALSE(
      compare_frames("a\tvirus\t0.1\t0.9\n", "a\tvirus\t1e-1\t0.90\n", {.exact = true}).equal());
}

// The distance of A's scores is 0.1 for "on", a little more for "off".
TEST(Compare, LabelsNearTheBoundaryAreToldFromOthers) {
  const Comparison result = compare_frames(
      "on\tvirus\t0.5\t0.6\noff\tvirus\t0.4\t0.6\nsure\tvirus\t0.01\t0.99\nfine\tvirus\t0\t1\n",
      "on\tothers\t0.5\t0.6\noff\tothers\t0.4\t0.6\nsure\tothers\t0.01\t0.99\nfine\tvirus\t0\t1\n");
  const LabelComparison& labels = *only(result).labels;
  EXPECT_EQ(labels.equal, 1U);
  EXPECT_EQ(labels.differing, 3U);
  EXPECT_EQ(labels.differing_far, 2U);
  const auto& rows = only(result).first_differing;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].id, "sure");  // the clearest label first
  EXPECT_EQ(rows[1].id, "off");
  EXPECT_EQ(rows[2].id, "on");
  EXPECT_EQ(rows[2].cause, Cause::kLabelNear);
  EXPECT_NEAR(*rows[0].margin, 0.98, 1e-12);
}

TEST(Compare, RowsAreListedByCauseAndSize) {
  const std::string a =
      "n1\tvirus\t0.1\t0.9\nn2\tvirus\t0.1\t0.9\nbad\tvirus\tnan\t0.9\nnear\tvirus\t0.5\t0.5\n"
      "far\tvirus\t0.1\t0.9\n";
  const std::string b =
      "n1\tvirus\t0.2\t0.8\nn2\tvirus\t0.3\t0.7\nbad\tvirus\t0.1\t0.9\nnear\tothers\t0.5\t0.5\n"
      "far\tothers\t0.9\t0.1\n";
  const Comparison all = compare_frames(a, b);
  std::vector<std::string> ids;
  for (const DifferingRow& row : only(all).first_differing) ids.push_back(row.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"far", "near", "bad", "n2", "n1"}));

  const Comparison few = compare_frames(a, b, {}, 2);
  EXPECT_EQ(only(few).differing, 5U);
  ASSERT_EQ(only(few).first_differing.size(), 2U);
  EXPECT_EQ(only(few).first_differing[1].id, "near");
  EXPECT_TRUE(only(compare_frames(a, b, {}, 0)).first_differing.empty());
}

TEST(Compare, NanInOneDiffersAndNanInBothIsRemarked) {
  const Comparison one = compare_frames("a\tvirus\tnan\t0.9\n", "a\tvirus\t0.1\t0.9\n",
                                        {.relative = 1e300, .absolute = 1e300});
  EXPECT_FALSE(one.equal());
  EXPECT_EQ(only(one).numbers.not_finite, 1U);
  EXPECT_EQ(only(one).first_differing.at(0).cause, Cause::kNotFinite);
  const Comparison both = compare_frames("a\tvirus\tnan\t0.9\n", "a\tvirus\tnan\t0.9\n");
  EXPECT_TRUE(both.equal());
  EXPECT_EQ(only(both).identical, 1U);
  EXPECT_EQ(only(both).numbers.nan_in_both, 1U);
  EXPECT_THAT(comparison_text(both), HasSubstr("1 values: identical, but not valid results"));
  EXPECT_FALSE(compare_frames("a\tvirus\tnan\t0.9\n", "a\tvirus\t-nan\t0.9\n").equal());
}

TEST(Compare, InfinitiesAreEqualToThemselvesAlone) {
  EXPECT_TRUE(compare_frames("a\tvirus\tinf\t0\n", "a\tvirus\tinf\t0\n").equal());
  EXPECT_FALSE(
      compare_frames("a\tvirus\tinf\t0\n", "a\tvirus\t-inf\t0\n", {.relative = 1}).equal());
  EXPECT_FALSE(compare_frames("a\tvirus\t1\t0\n", "a\tvirus\tinf\t0\n", {.relative = 1}).equal());
}

TEST(Compare, MissingRowsAreNamed) {
  const Comparison result = compare_frames("a\tvirus\t0\t1\nb\tvirus\t0\t1\n", "b\tvirus\t0\t1\n");
  EXPECT_FALSE(result.equal());
  EXPECT_EQ(only(result).only_a(), 1U);
  EXPECT_EQ(only(result).first_only_a, std::vector<std::string>{"a"});
  EXPECT_EQ(only(result).differing, 0U);
}

TEST(Compare, AnotherOrderIsToldAndNoError) {
  const Comparison result = compare_frames("a\tvirus\t0\t1\nb\tothers\t1\t0\n",
                                           "b\tothers\t1\t0\na\tvirus\t0\t1\n", {.exact = true});
  EXPECT_TRUE(result.equal());
  EXPECT_FALSE(only(result).rows.same_order);
  EXPECT_THAT(comparison_text(result), HasSubstr("2 in both, in another order"));
}

TEST(Compare, NoRowInCommonIsNoComparison) {
  const auto compare_them = [](const char* a, const char* b) {
    return thrown_kind([&] { compare_frames(a, b); });
  };
  EXPECT_EQ(compare_them("a\tvirus\t0\t1\n", "b\tvirus\t0\t1\n"), ErrorKind::kNotComparable);
  EXPECT_EQ(compare_them("", "b\tvirus\t0\t1\n"), ErrorKind::kNotComparable);
  EXPECT_TRUE(compare_frames("", "").equal());
}

TEST(Compare, ErrorsOfAFileKeepItsPlace) {
  const Error error = thrown([] { compare_frames("a\tvirus\t0\t1\n", "a\tvirus\t0\n"); });
  EXPECT_EQ(error.kind(), ErrorKind::kNotComparable);
  EXPECT_EQ(error.place().record, 1U);
  EXPECT_THAT(error.what(),
              HasSubstr("could not compare: input is not well formed: the row has 3"));
}

TEST(Compare, EmbeddingsAndWhereTheyDifferMost) {
  const EmbeddingRows a{{"x", {1, 0, 0}}, {"y", {0, 2, 0}}, {"z", {0, 0, 0}}};
  EmbeddingRows b = a;
  b[1].second = {0, 2, 0.5F};
  const Comparison result = compare_embeddings(a, b);
  EXPECT_FALSE(result.equal());
  EXPECT_EQ(only(result).name, "esm2");
  EXPECT_EQ(only(result).identical, 2U);
  ASSERT_TRUE(only(result).largest);
  EXPECT_EQ(only(result).largest->id, "y");
  EXPECT_EQ(only(result).largest->row_a, 2U);
  EXPECT_EQ(only(result).largest->column, "2");
  EXPECT_EQ(only(result).largest->b, 0.5);
  EXPECT_EQ(only(result).first_differing.at(0).column, "2");
  const CosineComparison& cosine = *only(result).cosine;
  EXPECT_EQ(cosine.cosine.samples, 3U);
  EXPECT_NEAR(cosine.cosine.minimum, 2 / std::sqrt(4.25), 1e-15);
  EXPECT_EQ(cosine.least_id, "y");
  EXPECT_NEAR(cosine.cosine.average, (2 + 2 / std::sqrt(4.25)) / 3, 1e-15);
}

TEST(Compare, EmbeddingsInAnotherOrder) {
  EmbeddingRows a;
  for (int k = 0; k < 3000; ++k) {
    a.emplace_back("row_" + std::to_string(k * 7 % 3001),
                   std::vector<float>(5, static_cast<float>(k)));
  }
  const EmbeddingRows b(a.rbegin(), a.rend());
  const Comparison result = compare_embeddings(a, b, {.exact = true});
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(only(result).identical, 3000U);
  EXPECT_FALSE(only(result).rows.same_order);
}

TEST(Compare, EmbeddingsThatAreNotFinite) {
  const Comparison both = compare_embeddings({{"x", {kNan, 1}}}, {{"x", {kNan, 1}}});
  EXPECT_TRUE(both.equal());
  EXPECT_EQ(only(both).numbers.nan_in_both, 1U);
  EXPECT_FALSE(only(both).cosine);
  for (const float other : {1.0F, kInfinity, -kNan}) {
    EXPECT_FALSE(compare_embeddings({{"x", {kNan, 1}}}, {{"x", {other, 1}}}).equal()) << other;
  }
}

TEST(Compare, TheSignOfZeroCountsWhenExact) {
  EXPECT_TRUE(compare_embeddings({{"x", {0.0F}}}, {{"x", {-0.0F}}}).equal());
  EXPECT_FALSE(compare_embeddings({{"x", {0.0F}}}, {{"x", {-0.0F}}}, {.exact = true}).equal());
}

TEST(Compare, WidthsMustMatch) {
  EXPECT_EQ(thrown_kind([] {
              compare_embeddings({{"x", {1}}}, {{"x", {1, 2}}});
            }),
            ErrorKind::kNotComparable);
}

// The lists of the original's DNABERT-S file, the tensors of its ESM-2 file, and its merged matrix.
TEST(Compare, FilesOfTheOriginal) {
  const std::filesystem::path expected =
      std::filesystem::path(VIRNUCPRO_SOURCE_DIR) / "tests" / "data" / "vanilla" / "expected";
  const Cancel cancel;
  for (const char* name : {"output_1_DNABERT_S.pt", "output_1_ESM.pt", "output_1_merged.pt"}) {
    const Comparison result = compare({.a = expected / name, .b = expected / name}, cancel);
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(only(result).identical, 4U) << name;
    EXPECT_GT(only(result).numbers.values, 4U * 767) << name;
  }
  EXPECT_EQ(thrown_kind([&] {
              compare({.a = expected / "output_1_ESM.pt", .b = expected / "output_1_merged.pt"},
                      cancel);
            }),
            ErrorKind::kNotComparable);
}

}  // namespace
}  // namespace virnucpro
