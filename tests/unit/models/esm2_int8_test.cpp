#include "models/esm2_int8.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "models/esm2_graph.hpp"
#include "unit/ops/random_weights.hpp"
#include "weights/folded_esm2.hpp"

namespace virnucpro {
namespace {

constexpr Esm2Shape kCoded{.layers = 3, .width = 80, .heads = 4, .ffn = 160, .token_dropout = true};
constexpr std::size_t kProteins = 24;

Esm2Weights coded_weights() {
  return {kCoded, std::make_unique<RandomWeights>()};
}

// Proteins of 1 residue and more, side by side.
struct Proteins {
  explicit Proteins(unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < kProteins; ++i) {
      tokens.push_back(0);
      for (std::size_t j = 0; j <= 7 * i; ++j) {
        tokens.push_back(static_cast<std::uint8_t>(4 + random() % 20));
      }
      tokens.push_back(2);
      offsets.push_back(static_cast<std::uint32_t>(tokens.size()));
    }
  }

  TokenBatch<std::uint8_t> batch() const { return {tokens, offsets}; }
  Proteins alone(std::size_t index) const {
    Proteins one = *this;
    one.tokens.assign(tokens.begin() + offsets[index], tokens.begin() + offsets[index + 1]);
    one.offsets = {0, offsets[index + 1] - offsets[index]};
    return one;
  }

  std::vector<std::uint8_t> tokens;
  std::vector<std::uint32_t> offsets{0};
};

struct Esm2In8Bits : Computing {
  Proteins proteins{1};

  template <typename Model, typename Context>
  static std::vector<float> embedded(const Model& model, Context& its_context, const Proteins& of) {
    std::vector<float> out((of.offsets.size() - 1) * kCoded.width);
    model.embed(its_context, of.batch(), out);
    return out;
  }
  std::vector<float> in_fp32() {
    return embedded(Esm2(coded_weights(), context), context, proteins);
  }
  std::vector<float> in_8_bits(const char* kept = "none") {
    return embedded(Esm2Int8(coded_weights(), context, Int8Policy::parse(kept).value()), context,
                    proteins);
  }
};

// 1 − cosine of each protein's embeddings, the largest.
double largest_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t first = 0; first < a.size(); first += kCoded.width) {
    double product = 0;
    double a_square = 0;
    double b_square = 0;
    for (std::size_t i = first; i < first + kCoded.width; ++i) {
      const auto x = static_cast<double>(a[i]);
      const auto y = static_cast<double>(b[i]);
      product += x * y;
      a_square += x * x;
      b_square += y * y;
    }
    largest = std::max(largest, 1.0 - product / std::sqrt(a_square * b_square));
  }
  return largest;
}

TEST_F(Esm2In8Bits, WithNothingIn8BitsIsThePlainModel) {
  EXPECT_LT(largest_distance(in_8_bits("qkv,out,fc1,fc2"), in_fp32()), 1e-10);
}

TEST_F(Esm2In8Bits, IsClose) {
  const std::vector<float> exact = in_fp32();
  const double all = largest_distance(in_8_bits(), exact);
  EXPECT_GT(all, 1e-6);
  EXPECT_LT(all, 2e-3);
  for (const char* kept : {"qkv,out,fc1", "qkv,out,fc2", "qkv,fc1,fc2", "out,fc1,fc2"}) {
    const double one = largest_distance(in_8_bits(kept), exact);
    EXPECT_GT(one, 1e-7) << kept;
    EXPECT_LT(one, all) << kept;
  }
}

TEST_F(Esm2In8Bits, BitsDoNotDependOnBatchOrThreads) {
  const Esm2Int8 model(coded_weights(), context);
  const std::vector<float> together = embedded(model, context, proteins);
  ThreadPool one(1);
  OpContext single{one, cancel};
  for (std::size_t i = 0; i < kProteins; ++i) {
    const std::vector<float> alone = embedded(model, single, proteins.alone(i));
    ASSERT_EQ(
        std::memcmp(alone.data(), together.data() + i * kCoded.width, kCoded.width * sizeof(float)),
        0)
        << i;
  }
}

// Returns the error that all proteins' embeddings have in common.
double mean_error(const std::vector<float>& a, const std::vector<float>& exact) {
  double square = 0;
  for (std::size_t i = 0; i < kCoded.width; ++i) {
    double sum = 0;
    for (std::size_t at = i; at < a.size(); at += kCoded.width) {
      sum += static_cast<double>(a[at]) - static_cast<double>(exact[at]);
    }
    square += sum * sum;
  }
  return std::sqrt(square);
}

TEST_F(Esm2In8Bits, CorrectedBiasesTakeOffTheCommonError) {
  Int8CpuContext own{context};
  const RandomWeights plain;
  const Esm2Model<Int8CpuBackend> uncorrected({kCoded, std::make_unique<FoldedEsm2>(plain, kCoded)},
                                              own);
  const std::vector<float> exact = in_fp32();
  EXPECT_LT(mean_error(in_8_bits(), exact),
            mean_error(embedded(uncorrected, own, proteins), exact) * 0.8);
}

}  // namespace
}  // namespace virnucpro
