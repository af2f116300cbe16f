#include "ops/int8_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ops/quantise.hpp"
#include "unit/needs.hpp"

namespace virnucpro {
namespace {

struct Int8Products : testing::TestWithParam<const Int8Product*> {
  void SetUp() override { VIRNUCPRO_NEEDS(GetParam()->usable(), std::string(GetParam()->name)); }
};

std::int8_t random_code(std::mt19937& random) {
  return static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
}

// What is read past the ends of rows must not count.
TEST_P(Int8Products, HaveTheSumsOf64BitIntegers) {
  std::mt19937 random(1);
  for (const std::size_t inputs : {1U, 3U, 64U, 65U, 320U, 2561U}) {
    for (const std::size_t rows : {1U, 5U, 32U, 45U, 192U}) {
      Int8Weights weights(kProductOutputs + 7, inputs);
      std::vector<std::vector<std::int8_t>> plain(weights.outputs(),
                                                  std::vector<std::int8_t>(inputs));
      for (std::size_t output = 0; output < weights.outputs(); ++output) {
        for (std::int8_t& code : plain[output]) code = random_code(random);
        weights.set(output, plain[output]);
      }
      const Codes in(Purpose::kActivations, rows, inputs);
      std::fill_n(in.row(0).data(), rows * inputs + kTileInputs, std::int8_t{111});
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::int8_t& code : in.row(row)) code = random_code(random);
      }
      for (const std::size_t first : {std::size_t{0}, kProductOutputs}) {
        alignas(64) std::int32_t sums[kProductRows * kProductOutputs];
        GetParam()->run({.x = in.row(0).data(),
                         .stride = inputs,
                         .rows = rows,
                         .weights = weights.tiles_of(first),
                         .offsets = weights.offsets_of(first),
                         .tiles = weights.tiles(),
                         .sums = sums});
        for (std::size_t row = 0; row < rows; ++row) {
          for (std::size_t o = 0; o < kProductOutputs; ++o) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; first + o < weights.outputs() && i < inputs; ++i) {
              sum += in.row(row)[i] * plain[first + o][i];
            }
            ASSERT_EQ(sums[row * kProductOutputs + o], sum)
                << inputs << " inputs, row " << row << " of " << rows << ", output " << first + o;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Int8Products,
                         testing::ValuesIn(int8_products().begin(), int8_products().end()),
                         [](const auto& test) {
                           std::string name(test.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Int8Product, TheFastestIsUsable) {
  EXPECT_TRUE(fastest_int8_product().usable());
}

}  // namespace
}  // namespace virnucpro
