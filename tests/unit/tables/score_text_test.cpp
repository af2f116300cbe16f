#include "tables/score_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace virnucpro {
namespace {

struct Golden {
  float score;
  const char* text;
};

// str(numpy.float32(score)), numpy 1.24.
constexpr Golden kGolden[] = {{0.0F, "0.0"},
                              {-0.0F, "-0.0"},
                              {1.0F, "1.0"},
                              {0.1F, "0.1"},
                              {0.5F, "0.5"},
                              {0.12100612F, "0.12100612"},
                              {0.99999994F, "0.99999994"},
                              {1e-4F, "1e-04"},
                              {-1e-4F, "-1e-04"},
                              {0.00010001F, "0.00010001"},
                              {1.2e-5F, "1.2e-05"},
                              {1e-5F, "1e-05"},
                              {9.5367431640625e-07F, "9.536743e-07"},
                              {1e-10F, "1e-10"},
                              {1.5e-7F, "1.5e-07"},
                              {1e-45F, "1e-45"},
                              {1.17549435e-38F, "1.1754944e-38"},
                              {3.4028235e38F, "3.4028235e+38"},
                              {1234567.0F, "1234567.0"},
                              {16777216.0F, "16777216.0"},
                              {123456789.0F, "123456790.0"},
                              {9.999999e15F, "9999999000000000.0"},
                              {1e16F, "1e+16"}};

TEST(ScoreText, IsNumpys) {
  for (const Golden& golden : kGolden) EXPECT_EQ(score_text(golden.score), golden.text);
}

TEST(ScoreText, NamesWhatIsNotANumber) {
  EXPECT_EQ(score_text(std::numeric_limits<float>::quiet_NaN()), "nan");
  EXPECT_EQ(score_text(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(score_text(-std::numeric_limits<float>::infinity()), "-inf");
}

TEST(ScoreText, ReadsBackToTheSameFloat) {
  float score = 1.0F;
  for (int k = 0; k < 2000; ++k) {
    EXPECT_EQ(std::stof(score_text(score)), score);
    score = std::nextafter(score, 0.0F) * 0.97F;
    if (score < std::numeric_limits<float>::min()) score = 1e30F;
  }
}

}  // namespace
}  // namespace virnucpro
