#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "ops/attention.hpp"
#include "ops/batch_norm.hpp"
#include "ops/context.hpp"
#include "ops/cpu.hpp"
#include "ops/embedding.hpp"
#include "ops/finite.hpp"
#include "ops/gated_gelu.hpp"
#include "ops/layer_norm.hpp"
#include "ops/linear.hpp"
#include "ops/mean_pool.hpp"
#include "ops/softmax.hpp"
#include "unit/needs.hpp"
#include "unit/ops/random_weights.hpp"

namespace virnucpro {
namespace {

struct Ops : Computing {
  RandomWeights weights;
};

Panels random_panels(std::size_t rows, std::size_t width, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2.0F, 2.0F);
  Panels panels(rows, width);
  for (float& value : panels.values()) value = uniform(random);
  return panels;
}

// Σ a·b in double, as the reference for a product.
double dot(const float* a, const float* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

double expected_linear(Epilogue epilogue, double product, double bias, double before) {
  if (epilogue == Epilogue::kNone) return product;
  if (epilogue == Epilogue::kBias) return product + bias;
  if (epilogue == Epilogue::kBiasGelu) return exact_gelu(product + bias);
  return before + product + bias;
}

using LinearCase = std::tuple<Epilogue, std::size_t, std::size_t, std::size_t>;
struct LinearOp : Ops, testing::WithParamInterface<LinearCase> {};

TEST_P(LinearOp, AgreesWithDoubles) {
  const auto [epilogue, rows, inputs, outputs] = GetParam();
  const Linear linear(context, weights, std::vector{LinearPart{"w.weight", "w.bias", outputs}},
                      inputs, Precision::kFp32, epilogue);
  const auto w = read_tensor(weights, "w.weight", {outputs, inputs});
  const auto bias = read_tensor(weights, "w.bias", {outputs});
  const Panels in = random_panels(rows, inputs);
  Panels out = random_panels(rows, outputs, 2);
  const std::vector<float> before(out.values().begin(), out.values().end());
  linear.run(context, in, out);
  for (std::size_t i = 0; i < rows; i += 1 + rows / 7) {
    for (std::size_t j = 0; j < outputs; ++j) {
      const double product = dot(in.row(i), w.data() + j * inputs, inputs);
      const double expected =
          expected_linear(epilogue, product, static_cast<double>(bias.data()[j]),
                          static_cast<double>(before[i * outputs + j]));
      ASSERT_NEAR(out.row(i)[j], expected, 5e-6) << i << "," << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinearOp,
                         testing::Values(LinearCase{Epilogue::kNone, 1, 20, 40},
                                         LinearCase{Epilogue::kBias, 5, 33, 7},
                                         LinearCase{Epilogue::kBias, 191, 64, 2},
                                         LinearCase{Epilogue::kBiasGelu, 192, 20, 1100},
                                         LinearCase{Epilogue::kBiasGelu, 193, 129, 513},
                                         LinearCase{Epilogue::kBiasAdd, 193, 768, 96},
                                         LinearCase{Epilogue::kBiasAdd, 5, 3001, 20}));

TEST_F(Ops, LinearRowsDoNotDependOnPlaceOrThreads) {
  ThreadPool one(1);
  OpContext alone{one, cancel};
  for (const std::size_t outputs : {2U, 37U, 520U}) {
    const Linear linear(context, weights, std::vector{LinearPart{"w.weight", "w.bias", outputs}},
                        131, Precision::kFp32, Epilogue::kBiasGelu);
    const Panels probe = random_panels(1, 131);
    Panels expected(1, outputs);
    linear.run(alone, probe, expected);
    Panels in = random_panels(400, 131, 5);
    for (std::size_t i = 0; i < 400; i += 3) std::copy_n(probe.row(0), 131, in.row(i));
    Panels out(400, outputs);
    linear.run(context, in, out);
    for (std::size_t i = 0; i < 400; i += 3) {
      ASSERT_EQ(std::memcmp(out.row(i), expected.row(0), outputs * sizeof(float)), 0) << i;
    }
  }
}

TEST_F(Ops, LinearPartsLieSideBySide) {
  const std::vector parts{LinearPart{"q.weight", "q.bias", 24},
                          LinearPart{"k.weight", "k.bias", 600}};
  const Linear fused(context, weights, parts, 50, Precision::kFp32, Epilogue::kBias);
  const Panels in = random_panels(10, 50);
  Panels out(10, 624);
  fused.run(context, in, out);
  std::size_t first = 0;
  for (const LinearPart& part : parts) {
    const Linear single(context, weights, {&part, 1}, 50, Precision::kFp32, Epilogue::kBias);
    Panels alone(10, part.outputs);
    single.run(context, in, alone);
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t j = 0; j < part.outputs; ++j) {
        ASSERT_NEAR(out.row(i)[first + j], alone.row(i)[j], 1e-6);
      }
    }
    first += part.outputs;
  }
}

TEST_F(Ops, LinearInBf16IsClose) {
  VIRNUCPRO_NEEDS_AVX512_BF16();
  const std::vector parts{LinearPart{"w.weight", "w.bias", 300}};
  const Linear exact(context, weights, parts, 256, Precision::kFp32, Epilogue::kBiasGelu);
  const Linear rounded(context, weights, parts, 256, Precision::kBf16, Epilogue::kBiasGelu);
  const Panels in = random_panels(20, 256);
  Panels expected(20, 300);
  Panels out(20, 300);
  exact.run(context, in, expected);
  rounded.run(context, in, out);
  for (std::size_t i = 0; i < out.values().size(); ++i) {
    ASSERT_NEAR(out.values()[i], expected.values()[i], 0.05);
  }
}

TEST_F(Ops, LayerNormAgreesWithDoubles) {
  for (const std::size_t width : {1U, 20U, 33U, 320U}) {
    const LayerNorm norm(weights, "norm", width, 1e-5F);
    const auto scale = read_tensor(weights, "norm.weight", {width});
    const auto bias = read_tensor(weights, "norm.bias", {width});
    const Panels in = random_panels(193, width);
    Panels out(193, width);
    norm.run(context, in, out);
    for (std::size_t i = 0; i < 193; i += 48) {
      double mean = 0;
      double variance = 0;
      for (std::size_t j = 0; j < width; ++j) mean += static_cast<double>(in.row(i)[j]);
      mean /= static_cast<double>(width);
      for (std::size_t j = 0; j < width; ++j) {
        variance += std::pow(static_cast<double>(in.row(i)[j]) - mean, 2);
      }
      variance /= static_cast<double>(width);
      for (std::size_t j = 0; j < width; ++j) {
        const double x = (static_cast<double>(in.row(i)[j]) - mean) / std::sqrt(variance + 1e-5);
        ASSERT_NEAR(out.row(i)[j],
                    x * static_cast<double>(scale.data()[j]) + static_cast<double>(bias.data()[j]),
                    2e-6);
      }
    }
  }
}

TEST_F(Ops, GatedGeluAgreesWithTheErrorFunction) {
  Panels in(1000, 42);
  for (std::size_t i = 0; i < in.values().size(); ++i) {
    in.values()[i] = static_cast<float>(i % 20011) / 1000.0F - 10.0F;
  }
  Panels out(1000, 21);
  gated_gelu(context, in, out);
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t j = 0; j < 21; ++j) {
      const auto gate = static_cast<double>(in.row(i)[j + 21]);
      const double expected = exact_gelu(static_cast<double>(in.row(i)[j])) * gate;
      ASSERT_NEAR(out.row(i)[j], expected, 2e-6 * std::max(1.0, std::abs(gate)));
    }
  }
}

TEST_F(Ops, EmbeddingScalesAndAdds) {
  Embedding embedding(weights, "embed", 9, 5, 0.5F);
  embedding.add_to_rows(std::vector<float>{1, 2, 3, 4, 5});
  const auto table = read_tensor(weights, "embed", {9, 5});
  Panels out(3, 5);
  embedding.run(context, std::vector<std::uint16_t>{8, 0, 8}, out);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(out.row(2)[j], table.data()[8 * 5 + j] * 0.5F + static_cast<float>(j + 1));
    EXPECT_EQ(out.row(0)[j], out.row(2)[j]);
  }
}

TEST_F(Ops, MeanPoolTakesItsRowsOnly) {
  Panels in(6, 2);
  for (std::size_t i = 0; i < 6; ++i) {
    in.row(i)[0] = static_cast<float>(i);
    in.row(i)[1] = -1.0F;
  }
  std::vector<float> out(4);
  mean_pool(context, in, std::vector<RowRange>{{1, 4}, {5, 6}}, out);
  EXPECT_THAT(out, testing::ElementsAre(2.0F, -1.0F, 5.0F, -1.0F));
}

TEST_F(Ops, BatchNormKeepsNaN) {
  const BatchNormRelu norm(weights, "bn", 3, 1e-5F);
  Panels values(1, 3);
  values.row(0)[0] = std::numeric_limits<float>::quiet_NaN();
  values.row(0)[1] = -1000.0F;
  values.row(0)[2] = 1000.0F;
  norm.run(values);
  EXPECT_FALSE(all_finite(values.values()));
}

TEST(Softmax, SumsToOneAndIsStable) {
  std::vector<float> row{1000.0F, 999.0F};
  softmax(row);
  EXPECT_NEAR(row[0], 1.0 / (1.0 + std::exp(-1.0)), 1e-7);
  EXPECT_NEAR(row[0] + row[1], 1.0, 1e-7);
}

TEST(Finite, SeesNaNAndInfinity) {
  EXPECT_TRUE(all_finite(std::vector<float>{0.0F, -3e38F}));
  EXPECT_FALSE(all_finite(std::vector<float>{0.0F, std::numeric_limits<float>::infinity()}));
}

TEST(Precisions, HaveNamesAndAnOrder) {
  for (const Precision precision :
       {Precision::kFp32, Precision::kFp16, Precision::kBf16, Precision::kInt8}) {
    EXPECT_EQ(precision_named(name_of(precision)), precision);
    EXPECT_FALSE(is_finer(precision, precision));
  }
  EXPECT_EQ(name_of(Precision::kBf16), "bf16");
  EXPECT_EQ(precision_named("fp8"), std::nullopt);
  EXPECT_TRUE(is_finer(Precision::kFp32, Precision::kFp16));
  EXPECT_TRUE(is_finer(Precision::kFp16, Precision::kBf16));
  EXPECT_TRUE(is_finer(Precision::kBf16, Precision::kInt8));
}

TEST(Precisions, ComputeInInt8ForEsm2Alone) {
  EXPECT_EQ(beside_esm2(Precision::kInt8, true), Precision::kFp16);
  EXPECT_EQ(beside_esm2(Precision::kInt8, false), Precision::kFp32);
  EXPECT_EQ(beside_esm2(Precision::kBf16, true), Precision::kBf16);
}

TEST(AlibiSlopes, FollowThePaper) {
  EXPECT_THAT(alibi_slopes(4), testing::ElementsAre(0.25F, 0.0625F, 0.015625F, 0.00390625F));
  const std::vector<float> twelve = alibi_slopes(12);
  ASSERT_EQ(twelve.size(), 12U);
  EXPECT_EQ(twelve[7], std::exp2(-8.0F));
  EXPECT_EQ(twelve[8], std::exp2(-0.5F));
  EXPECT_EQ(twelve[11], std::exp2(-3.5F));
}

}  // namespace
}  // namespace virnucpro
