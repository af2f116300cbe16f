#include "ops/int8_linear.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "unit/ops/random_weights.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

struct Int8LinearOp : Computing {
  RandomWeights weights;

  Int8Linear linear(std::size_t inputs, std::size_t outputs, Epilogue epilogue,
                    Blocks blocks = Blocks::kPlain) {
    return {context, weights,  std::vector{LinearPart{"w.weight", "w.bias", outputs}},
            inputs,  epilogue, blocks};
  }
};

// Codes of −127 … 127, and a scale that differs from row to row.
Codes random_codes(std::size_t rows, std::size_t width, unsigned seed = 1) {
  std::mt19937 random(seed);
  Codes codes(Purpose::kActivations, rows, width);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::int8_t& code : codes.row(i)) {
      code = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
    }
    codes.scales()[i] = 0.001F + 0.0001F * static_cast<float>(random() % 97);
  }
  return codes;
}

// A layer's weights as Int8Linear must have them.
struct Expected {
  Expected(const Weights& weights, std::size_t inputs, std::size_t outputs)
      : codes(Purpose::kWeights, outputs, inputs), bias(outputs) {
    std::vector<float> values(outputs * inputs);
    weights.read("w.weight", {outputs, inputs}, values);
    weights.read("w.bias", {outputs}, bias);
    for (std::size_t i = 0; i < outputs; ++i) {
      codes.scales()[i] = quantise_row(std::span(values).subspan(i * inputs, inputs), codes.row(i));
    }
  }

  float value(const Codes& in, std::size_t row, std::size_t output) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < in.width(); ++i) sum += in.row(row)[i] * codes.row(output)[i];
    return std::fma(static_cast<float>(sum) * in.scales()[row], codes.scales()[output],
                    bias[output]);
  }

  Codes codes;
  std::vector<float> bias;
};

struct Sizes {
  std::size_t rows;
  std::size_t inputs;
  std::size_t outputs;
};

struct Int8LinearSizes : Int8LinearOp, testing::WithParamInterface<Sizes> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Int8LinearSizes,
                         testing::Values(Sizes{1, 1, 1}, Sizes{5, 15, 7}, Sizes{6, 16, 64},
                                         Sizes{193, 33, 65}, Sizes{4, 10240, 3},
                                         Sizes{195, 320, 130}));

// To the last bit: sums are exact, and the rest is three roundings.
TEST_P(Int8LinearSizes, ComputesWhat64BitIntegersDo) {
  const auto [rows, inputs, outputs] = GetParam();
  const Expected expected(weights, inputs, outputs);
  const Codes in = random_codes(rows, inputs);
  Panels plain(rows, outputs);
  linear(inputs, outputs, Epilogue::kBias).run(context, in, plain);
  Panels added = normal_panels(rows, outputs);
  const Panels before = normal_panels(rows, outputs);
  linear(inputs, outputs, Epilogue::kBiasAdd).run(context, in, added);
  Panels activated(rows, outputs);
  linear(inputs, outputs, Epilogue::kBiasGelu).run(context, in, activated);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < outputs; ++j) {
      const float value = expected.value(in, i, j);
      ASSERT_EQ(plain.row(i)[j], value) << i << "," << j;
      ASSERT_EQ(added.row(i)[j], before.row(i)[j] + value);
      ASSERT_NEAR(activated.row(i)[j], exact_gelu(static_cast<double>(value)),
                  1e-6 * std::max(1.0, std::abs(static_cast<double>(value))));
    }
  }
}

TEST_F(Int8LinearOp, HoldsTheLargestSums) {
  struct AllEqual : RandomWeights {
    void read(const std::string&, const Shape& expected, std::span<float> out) const override {
      std::fill(out.begin(), out.end(), expected.size() == 2 ? 127.0F : 0.0F);
    }
  };
  const std::vector parts{LinearPart{"w.weight", "w.bias", 1}};
  const Int8Linear most(context, AllEqual(), parts, kMostInt8Inputs, Epilogue::kBias,
                        Blocks::kPlain);
  Codes in(Purpose::kActivations, 2, kMostInt8Inputs);
  std::fill(in.row(0).begin(), in.row(0).end(), std::int8_t{127});
  std::fill(in.row(1).begin(), in.row(1).end(), std::int8_t{-127});
  std::fill(in.scales().begin(), in.scales().end(), 1.0F);
  Panels out(2, 1);
  most.run(context, in, out);
  EXPECT_EQ(out.row(0)[0], 131072.0F * 127 * 127);
  EXPECT_EQ(out.row(1)[0], -131072.0F * 127 * 127);
}

TEST_F(Int8LinearOp, RefusesWhatItCannotCompute) {
  for (const auto& [inputs, epilogue] :
       {std::pair{kMostInt8Inputs + 1, Epilogue::kBias}, std::pair{std::size_t{8}, Epilogue::kNone},
        std::pair{std::size_t{8}, Epilogue::kGeluGate}}) {
    EXPECT_EQ(
        thrown_kind([&, inputs = inputs, epilogue = epilogue] { linear(inputs, 1, epilogue); }),
        ErrorKind::kInternal);
  }
}

TEST_F(Int8LinearOp, RowsDoNotDependOnPlaceOrThreads) {
  ThreadPool one(1);
  OpContext alone{one, cancel};
  const Int8Linear layer = linear(131, 70, Epilogue::kBiasGelu);
  const Codes probe = random_codes(1, 131);
  Panels expected(1, 70);
  layer.run(alone, probe, expected);
  Codes in = random_codes(401, 131, 5);
  for (std::size_t i = 0; i < 401; i += 5) {
    std::copy(probe.row(0).begin(), probe.row(0).end(), in.row(i).begin());
    in.scales()[i] = probe.scales()[0];
  }
  Panels out(401, 70);
  layer.run(context, in, out);
  for (std::size_t i = 0; i < 401; i += 5) {
    ASSERT_EQ(std::memcmp(out.row(i), expected.row(0), 70 * sizeof(float)), 0) << i;
  }
}

TEST_F(Int8LinearOp, PartsLieSideBySide) {
  const std::vector parts{LinearPart{"q.weight", "q.bias", 24},
                          LinearPart{"k.weight", "k.bias", 70}};
  const Int8Linear fused(context, weights, parts, 50, Epilogue::kBias, Blocks::kPlain);
  ASSERT_EQ(fused.outputs(), 94U);
  const Codes in = random_codes(10, 50);
  Panels out(10, 94);
  fused.run(context, in, out);
  std::size_t first = 0;
  for (const LinearPart& part : parts) {
    const Int8Linear single(context, weights, {&part, 1}, 50, Epilogue::kBias, Blocks::kPlain);
    Panels alone(10, part.outputs);
    single.run(context, in, alone);
    for (std::size_t i = 0; i < 10; ++i) {
      ASSERT_EQ(std::memcmp(out.row(i) + first, alone.row(i), part.outputs * sizeof(float)), 0);
    }
    first += part.outputs;
  }
}

TEST_F(Int8LinearOp, ASpoiledRowSpoilsItsResultsAlone) {
  Codes in = random_codes(3, 20);
  std::fill(in.row(1).begin(), in.row(1).end(), std::int8_t{0});
  in.scales()[1] = std::numeric_limits<float>::quiet_NaN();
  Panels out(3, 5);
  linear(20, 5, Epilogue::kBiasGelu).run(context, in, out);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_TRUE(std::isnan(out.row(1)[j]));
    EXPECT_TRUE(std::isfinite(out.row(0)[j]) && std::isfinite(out.row(2)[j]));
  }
}

// Mean squared error of a quantised layer, against one in fp32.
double error_of(OpContext& context, const Int8Linear& layer, const Panels& in,
                const Panels& exact) {
  Codes codes(Purpose::kActivations, in.rows(), in.width());
  quantise_rows(context, in, layer.blocks(), codes);
  Panels out(in.rows(), layer.outputs());
  layer.run(context, codes, out);
  double sum = 0;
  for (std::size_t i = 0; i < out.values().size(); ++i) {
    sum +=
        std::pow(static_cast<double>(out.values()[i]) - static_cast<double>(exact.values()[i]), 2);
  }
  return sum / static_cast<double>(out.values().size());
}

TEST_F(Int8LinearOp, BlocksOf8TameANumberThatStandsAlone) {
  Panels in = normal_panels(50, 256);
  for (std::size_t i = 0; i < 50; ++i) in.row(i)[17 * i % 256] = 60.0F;
  Panels exact(50, 40);
  Linear(context, weights, std::vector{LinearPart{"w.weight", "w.bias", 40}}, 256, Precision::kFp32,
         Epilogue::kBias)
      .run(context, in, exact);
  const double plain = error_of(context, linear(256, 40, Epilogue::kBias), in, exact);
  const double rotated =
      error_of(context, linear(256, 40, Epilogue::kBias, Blocks::kRotated), in, exact);
  EXPECT_LT(rotated, plain / 4);
  EXPECT_LT(plain, 0.03);
}

// Means of the columns, as numbers and as their codes stand for.
struct Means {
  Means(const Panels& in, const Codes& codes) : exact(in.width()), coded(in.width()) {
    const auto rows = static_cast<float>(in.rows());
    for (std::size_t i = 0; i < in.rows(); ++i) {
      for (std::size_t j = 0; j < in.width(); ++j) {
        exact[j] += in.row(i)[j] / rows;
        coded[j] += static_cast<float>(codes.row(i)[j]) * codes.scales()[i] / rows;
      }
    }
  }

  std::vector<float> exact;
  std::vector<float> coded;
};

TEST_F(Int8LinearOp, ACorrectedBiasLosesNothingInTheMean) {
  Panels in = normal_panels(40, 96);
  for (float& value : in.values()) value += 3.0F;  // what all rows have in common
  Panels exact(40, 30);
  Linear(context, weights, std::vector{LinearPart{"w.weight", "w.bias", 30}}, 96, Precision::kFp32,
         Epilogue::kBias)
      .run(context, in, exact);
  Codes codes(Purpose::kActivations, 40, 96);
  quantise_rows(context, in, Blocks::kPlain, codes);
  Int8Linear layer = linear(96, 30, Epilogue::kBias);
  const auto largest_mean_error = [&] {
    Panels out(40, 30);
    layer.run(context, codes, out);
    double largest = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < 40; ++i) {
        sum += static_cast<double>(out.row(i)[j]) - static_cast<double>(exact.row(i)[j]);
      }
      largest = std::max(largest, std::abs(sum / 40));
    }
    return largest;
  };
  const double before = largest_mean_error();
  const Means means(in, codes);
  layer.correct_bias({means.exact, means.coded});
  EXPECT_GT(before, 1e-3);
  EXPECT_LT(largest_mean_error(), before / 30);
}

}  // namespace
}  // namespace virnucpro
