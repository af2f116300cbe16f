#include "report/page.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace virnucpro {
namespace {

TEST(ValueText, HasUnits) {
  EXPECT_EQ(value_text({}, Measure::kSeconds), "not measured");
  EXPECT_EQ(value_text(std::uint64_t{1234567}, Measure::kCount), "1,234,567");
  EXPECT_EQ(value_text(std::string("word"), Measure::kBytes), "word");
  EXPECT_EQ(value_text(0.00025, Measure::kSeconds), "250 µs");
  EXPECT_EQ(value_text(0.25, Measure::kSeconds), "250 ms");
  EXPECT_EQ(value_text(119.0, Measure::kSeconds), "119 s");
  EXPECT_EQ(value_text(125.0, Measure::kSeconds), "2 min 5 s");
  EXPECT_EQ(value_text(7500.0, Measure::kSeconds), "2 h 5 min");
  EXPECT_EQ(value_text(2e10, Measure::kBytes), "20 GB");
  EXPECT_EQ(value_text(0.997, Measure::kShare), "99.7 %");
  EXPECT_EQ(value_text(3385.0, Measure::kPerSecond), "3,385 /s");
  EXPECT_EQ(value_text(0.5F, Measure::kScore), "0.5000");
}

TEST(ValueText, TakesNumbersOfAnySize) {
  for (const double size : {0.0, 1e-300, 1e15, 1e300, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    for (const Measure unit : {Measure::kNone, Measure::kCount, Measure::kSeconds, Measure::kBytes,
                               Measure::kPerSecond, Measure::kMegahertz}) {
      EXPECT_FALSE(value_text(size, unit).empty());
      EXPECT_FALSE(axis_text(size, unit).empty());
    }
  }
}

}  // namespace
}  // namespace virnucpro
