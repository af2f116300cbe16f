#include "observe/centred_cosine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace virnucpro {
namespace {

struct Pairs {
  std::vector<std::vector<float>> ones;
  std::vector<std::vector<float>> others;
};

// Vectors around a common one that is so many times as long.
Pairs make_pairs(double common, double error) {
  constexpr int kPairs = 50;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Pairs pairs;
  for (int k = 0; k < kPairs; ++k) {
    std::vector<float> one;
    std::vector<float> other;
    for (int i = 0; i < 20; ++i) {
      const double value = common * i + normal(random);
      other.push_back(static_cast<float>(value));
      one.push_back(static_cast<float>(value + error * normal(random)));
    }
    pairs.ones.push_back(one);
    pairs.others.push_back(other);
  }
  return pairs;
}

// In two passes, as it is defined.
double expected(const Pairs& pairs) {
  const std::size_t width = pairs.ones[0].size();
  std::vector<double> mean(width);
  for (const auto& other : pairs.others) {
    for (std::size_t i = 0; i < width; ++i) {
      mean[i] += static_cast<double>(other[i]) / static_cast<double>(pairs.others.size());
    }
  }
  double product = 0;
  double ones = 0;
  double others = 0;
  for (std::size_t k = 0; k < pairs.ones.size(); ++k) {
    for (std::size_t i = 0; i < width; ++i) {
      const double x = static_cast<double>(pairs.ones[k][i]) - mean[i];
      const double y = static_cast<double>(pairs.others[k][i]) - mean[i];
      product += x * y;
      ones += x * x;
      others += y * y;
    }
  }
  return product / std::sqrt(ones * others);
}

TEST(CentredCosine, IsThatOfTwoPasses) {
  for (const double common : {0.0, 10.0, 1000.0}) {
    for (const double error : {0.0, 0.01, 0.5}) {
      const Pairs pairs = make_pairs(common, error);
      CentredCosine cosine;
      for (std::size_t k = 0; k < pairs.ones.size(); ++k)
        cosine.add(pairs.ones[k], pairs.others[k]);
      EXPECT_NEAR(cosine.value().value(), expected(pairs), 1e-10) << common << ' ' << error;
    }
  }
}

TEST(CentredCosine, IsNoneOfTooLittle) {
  const std::vector<float> one{1, 2};
  const std::vector<float> other{1, 3};
  CentredCosine cosine;
  EXPECT_FALSE(cosine.value());
  cosine.add(one, one);
  EXPECT_FALSE(cosine.value());
  cosine.add(one, one);
  EXPECT_FALSE(cosine.value()) << "all are alike";
  cosine.add(other, other);
  EXPECT_NEAR(cosine.value().value(), 1, 1e-15);
  cosine.reset();
  EXPECT_FALSE(cosine.value());
}

}  // namespace
}  // namespace virnucpro
