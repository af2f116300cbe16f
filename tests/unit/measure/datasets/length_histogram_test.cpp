#include "measure/datasets/length_histogram.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

TEST(LengthHistogram, OfNoneIsAllZero) {
  const LengthHistogram none;
  EXPECT_EQ(none.count() + none.letters() + none.min() + none.max(), 0U);
  EXPECT_EQ(none.percentile(50), 0U);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_TRUE(none.steps().empty());
}

TEST(LengthHistogram, ShortLengthsAreExact) {
  LengthHistogram lengths;
  for (std::uint64_t length = 8191; length > 8091; --length) lengths.add(length);
  EXPECT_EQ(lengths.min(), 8092U);
  EXPECT_EQ(lengths.max(), 8191U);
  for (std::uint64_t percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(lengths.percentile(percent), 8091U + percent);
  }
  EXPECT_DOUBLE_EQ(lengths.mean(), 8141.5);
}

TEST(LengthHistogram, TheMedianOfAnEvenNumberIsTheLowerOne) {
  LengthHistogram lengths;
  for (const std::uint64_t length : {0U, 7U, 9U, 10U}) lengths.add(length);
  EXPECT_EQ(lengths.percentile(50), 7U);
  EXPECT_EQ(lengths.percentile(51), 9U);
}

TEST(LengthHistogram, LongLengthsAreTakenForShorterOnesOfTheirInterval) {
  for (const std::uint64_t length :
       {8192U, 8193U, 16383U, 16384U, 65537U, 999'999'937U, 2'147'483'647U}) {
    LengthHistogram lengths;
    lengths.add(1);
    lengths.add(length);
    const std::uint64_t taken = lengths.percentile(100);
    EXPECT_LE(taken, length);
    EXPECT_LT(length - taken, length / 4096 + 1) << length;
    EXPECT_EQ(lengths.max(), length);
    EXPECT_EQ(lengths.letters(), length + 1);
  }
}

TEST(LengthHistogram, IntervalsAscendWithoutAGap) {
  LengthHistogram lengths;
  for (std::uint64_t length = 1; length < 70'000; ++length) lengths.add(length);
  std::uint64_t before = 0;
  for (const LengthStep& step : lengths.steps()) {
    EXPECT_EQ(step.length, before + 1);  // the first length not in an earlier step
    before = step.up_to;
  }
  EXPECT_EQ(before, 69'999U);
}

}  // namespace
}  // namespace virnucpro
