#include "weights/folded_esm2.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "models/esm2.hpp"
#include "ops/attention.hpp"
#include "tokens/esm_alphabet.hpp"
#include "unit/ops/random_weights.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr Esm2Shape kShape{.layers = 2, .width = 40, .heads = 4, .ffn = 90, .token_dropout = true};
constexpr double kEps = 1e-5;

using Vector = std::vector<double>;
using Rows = std::vector<Vector>;

std::vector<float> read(const Weights& weights, const std::string& name, const Shape& shape) {
  std::size_t count = 1;
  for (const std::uint64_t size : shape) count *= size;
  std::vector<float> values(count);
  weights.read(name, shape, values);
  return values;
}

// ESM-2 as in its paper, one sequence at a time and in double, of plain or folded weights.
class PlainEsm2 {
 public:
  PlainEsm2(const Weights& weights, const Esm2Shape& shape, bool folded)
      : weights_(weights), shape_(shape), folded_(folded) {}

  // The mean over the residues, which are all tokens but the first and the last.
  Vector embed(const std::vector<std::uint8_t>& tokens) const {
    Rows x = embedded(tokens);
    for (std::uint32_t i = 0; i < shape_.layers; ++i) add_layer("layers." + std::to_string(i), x);
    const Rows last = normed("emb_layer_norm_after", x);
    Vector mean(shape_.width, 0.0);
    for (std::size_t i = 1; i + 1 < last.size(); ++i) {
      for (std::size_t j = 0; j < mean.size(); ++j) {
        mean[j] += last[i][j] / static_cast<double>(last.size() - 2);
      }
    }
    return folded_ ? linear("head", shape_.width, {mean}).front() : mean;
  }

 private:
  Rows embedded(const std::vector<std::uint8_t>& tokens) const {
    const auto table = read(weights_, "embed_tokens.weight", {kEsmVocabulary, shape_.width});
    Rows x;
    for (const std::uint8_t token : tokens) {
      const auto row = table.begin() + token * static_cast<std::ptrdiff_t>(shape_.width);
      x.emplace_back(row, row + shape_.width);
      for (double& value : x.back()) value *= 0.88;
    }
    return x;
  }

  void add_layer(const std::string& name, Rows& x) const {
    const Rows normed_x = normed(name + ".self_attn_layer_norm", x);
    const auto projected = [&](const char* which) {
      return linear(name + ".self_attn." + which, shape_.width, normed_x);
    };
    const Rows attended = attention(projected("q_proj"), projected("k_proj"), projected("v_proj"));
    add(linear(name + ".self_attn.out_proj", shape_.width, attended), x);
    Rows hidden = linear(name + ".fc1", shape_.ffn, normed(name + ".final_layer_norm", x));
    for (Vector& row : hidden) {
      for (double& value : row) value *= 0.5 * (1.0 + std::erf(value / std::sqrt(2.0)));
    }
    add(linear(name + ".fc2", shape_.width, hidden), x);
  }

  Rows linear(const std::string& name, std::size_t outputs, const Rows& in) const {
    const std::size_t inputs = in.front().size();
    const auto weight = read(weights_, name + ".weight", {outputs, inputs});
    const auto bias = read(weights_, name + ".bias", {outputs});
    Rows out;
    for (const Vector& row : in) {
      out.emplace_back(bias.begin(), bias.end());
      for (std::size_t i = 0; i < outputs * inputs; ++i) {
        out.back()[i / inputs] += static_cast<double>(weight[i]) * row[i % inputs];
      }
    }
    return out;
  }

  // Folded norms have neither a mean nor weights.
  Rows normed(const std::string& name, Rows rows) const {
    for (Vector& row : rows) {
      double mean = 0;
      for (const double value : row) mean += value / static_cast<double>(row.size());
      if (folded_) mean = 0;
      double variance = 0;
      for (const double value : row) {
        variance += (value - mean) * (value - mean) / static_cast<double>(row.size());
      }
      for (double& value : row) value = (value - mean) / std::sqrt(variance + kEps);
    }
    if (folded_) return rows;
    const auto gain = read(weights_, name + ".weight", {shape_.width});
    const auto bias = read(weights_, name + ".bias", {shape_.width});
    for (Vector& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = row[i] * static_cast<double>(gain[i]) + static_cast<double>(bias[i]);
      }
    }
    return rows;
  }

  Rows attention(Rows queries, Rows keys, const Rows& values) const {
    turn(queries);
    turn(keys);
    const std::size_t head_width = shape_.width / shape_.heads;
    Rows out(values.size(), Vector(shape_.width, 0.0));
    for (std::size_t first = 0; first < shape_.width; first += head_width) {
      for (std::size_t i = 0; i < queries.size(); ++i) {
        Vector factors;
        double sum = 0;
        for (const Vector& key : keys) {
          double score = 0;
          for (std::size_t j = first; j < first + head_width; ++j) score += queries[i][j] * key[j];
          factors.push_back(std::exp(score / std::sqrt(static_cast<double>(head_width))));
          sum += factors.back();
        }
        for (std::size_t row = 0; row < values.size(); ++row) {
          for (std::size_t j = first; j < first + head_width; ++j) {
            out[i][j] += factors[row] / sum * values[row][j];
          }
        }
      }
    }
    return out;
  }

  // Rotary position embedding, the rotate-half form.
  void turn(Rows& rows) const {
    const std::size_t half = shape_.width / shape_.heads / 2;
    const std::vector<float> frequencies = rotary_frequencies(2 * half);
    for (std::size_t position = 0; position < rows.size(); ++position) {
      for (std::size_t i = 0; i < shape_.width; i += i % half == half - 1 ? half + 1 : 1) {
        const double angle =
            static_cast<double>(position) * static_cast<double>(frequencies[i % half]);
        double& low = rows[position][i];
        double& high = rows[position][i + half];
        const double before = low;
        low = before * std::cos(angle) - high * std::sin(angle);
        high = high * std::cos(angle) + before * std::sin(angle);
      }
    }
  }

  static void add(const Rows& rows, Rows& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x[i].size(); ++j) x[i][j] += rows[i][j];
    }
  }

  const Weights& weights_;
  Esm2Shape shape_;
  bool folded_;
};

double cosine_distance(const Vector& a, const Vector& b) {
  double product = 0;
  double a_square = 0;
  double b_square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    a_square += a[i] * a[i];
    b_square += b[i] * b[i];
  }
  return 1.0 - product / std::sqrt(a_square * b_square);
}

// Heads with and without a part that no Hadamard matrix covers; widths of 5, 3 and 1 blocks.
struct FoldedShapes : testing::TestWithParam<Esm2Shape> {};
INSTANTIATE_TEST_SUITE_P(
    Shapes, FoldedShapes,
    testing::Values(kShape, Esm2Shape{.layers = 3, .width = 48, .heads = 2, .ffn = 96},
                    Esm2Shape{.layers = 1, .width = 64, .heads = 4, .ffn = 136}));

TEST_P(FoldedShapes, ComputeWhatThePlainModelDoes) {
  const Esm2Shape shape = GetParam();
  const RandomWeights plain;
  const FoldedEsm2 folded(plain, shape);
  for (const std::vector<std::uint8_t>& tokens :
       {std::vector<std::uint8_t>{0, 5, 2},
        std::vector<std::uint8_t>{0, 20, 7, 7, 9, 4, 15, 23, 2}}) {
    const Vector expected = PlainEsm2(plain, shape, false).embed(tokens);
    const Vector actual = PlainEsm2(folded, shape, true).embed(tokens);
    EXPECT_LT(cosine_distance(actual, expected), 1e-12);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 3e-6);
  }
}

// Otherwise a mistake of the reference would be made with both kinds of weights.
TEST(PlainEsm2, IsWhatTheProgramComputes) {
  auto plain = std::make_unique<RandomWeights>();
  for (const char* layer : {"layers.0", "layers.1"}) {
    plain->missing.insert(layer + std::string(".self_attn.rot_emb.inv_freq"));
  }
  const std::vector<std::uint8_t> tokens{0, 20, 7, 7, 9, 4, 15, 23, 2};
  const Vector expected = PlainEsm2(*plain, kShape, false).embed(tokens);
  ThreadPool pool(1);
  const Cancel cancel;
  OpContext context{pool, cancel};
  const Esm2 model({kShape, std::move(plain)}, context);
  std::vector<float> out(kShape.width);
  model.embed(context, {tokens, std::vector<std::uint32_t>{0, 9}}, out);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-5);
}

TEST(FoldedEsm2, WritesTheStreamCentredAndRotated) {
  const RandomWeights plain;
  const FoldedEsm2 folded(plain, kShape);
  const auto table = read(folded, "embed_tokens.weight", {kEsmVocabulary, kShape.width});
  const auto before = read(plain, "embed_tokens.weight", {kEsmVocabulary, kShape.width});
  const Rotation rotation(kShape.width);
  for (std::size_t token = 0; token < kEsmVocabulary; ++token) {
    const auto row = table.begin() + static_cast<std::ptrdiff_t>(token * kShape.width);
    Vector back(row, row + kShape.width);
    rotation.apply_transposed(back);
    const double mean = static_cast<double>(before[token * kShape.width]) - back[0];
    for (std::size_t i = 0; i < back.size(); ++i) {
      EXPECT_NEAR(back[i], static_cast<double>(before[token * kShape.width + i]) - mean, 1e-6);
    }
    double sum = 0;
    for (const double value : back) sum += value;
    EXPECT_NEAR(sum, 0.0, 1e-5);
  }
}

struct CountedWeights : RandomWeights {
  void read(const std::string& name, const Shape& expected, std::span<float> out) const override {
    ++reads[name];
    RandomWeights::read(name, expected, out);
  }

  mutable std::map<std::string, int> reads;
};

TEST(FoldedEsm2, ReadsAWeightOnceForItselfAndItsBias) {
  const CountedWeights plain;
  const FoldedEsm2 folded(plain, kShape);
  read(folded, "layers.0.fc1.weight", {kShape.ffn, kShape.width});
  read(folded, "layers.0.fc1.bias", {kShape.ffn});
  EXPECT_EQ(plain.reads.at("layers.0.fc1.weight"), 1);
  read(folded, "layers.0.fc2.bias", {kShape.width});
  EXPECT_EQ(plain.reads.count("layers.0.fc2.weight"), 0U);
}

TEST(FoldedEsm2, HasTheSameBiasBeforeAndAfterItsWeight) {
  const RandomWeights plain;
  for (const char* linear : {"layers.0.fc1", "layers.1.self_attn.v_proj"}) {
    const std::string name = linear;
    const std::size_t outputs = name.ends_with("fc1") ? kShape.ffn : kShape.width;
    const FoldedEsm2 first(plain, kShape);
    const auto before = read(first, name + ".bias", {outputs});
    const FoldedEsm2 second(plain, kShape);
    read(second, name + ".weight", {outputs, kShape.width});
    EXPECT_EQ(read(second, name + ".bias", {outputs}), before);
    EXPECT_NE(read(plain, name + ".bias", {outputs}), before);
  }
}

TEST(FoldedEsm2, GivesSeveralThreadsTheSame) {
  const RandomWeights plain;
  const FoldedEsm2 folded(plain, kShape);
  std::vector<std::vector<float>> biases(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < biases.size(); ++i) {
    threads.emplace_back([&, i] { biases[i] = read(folded, "layers.0.fc1.bias", {kShape.ffn}); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& bias : biases) EXPECT_EQ(bias, biases.front());
}

TEST(FoldedEsm2, HasAHeadInPlaceOfNorms) {
  RandomWeights plain;
  plain.missing.insert("layers.1.self_attn.rot_emb.inv_freq");
  const FoldedEsm2 folded(plain, kShape);
  for (const char* name :
       {"embed_tokens.weight", "layers.0.self_attn.q_proj.weight", "layers.1.fc2.bias",
        "layers.0.self_attn.rot_emb.inv_freq", "head.weight", "head.bias"}) {
    EXPECT_TRUE(folded.has(name)) << name;
  }
  for (const char* name : {"layers.0.self_attn_layer_norm.weight", "layers.0.final_layer_norm.bias",
                           "emb_layer_norm_after.weight", "layers.1.self_attn.rot_emb.inv_freq",
                           "layers.0.fc1", "fc1.weight"}) {
    EXPECT_FALSE(folded.has(name)) << name;
  }
  EXPECT_EQ(folded.shape("head.weight"), (Shape{kShape.width, kShape.width}));
  EXPECT_EQ(folded.shape("layers.1.fc2.weight"), (Shape{kShape.width, kShape.ffn}));
  EXPECT_EQ(folded.origin(), plain.origin());
}

TEST(FoldedEsm2, RefusesOtherNamesAndShapes) {
  const RandomWeights plain;
  const FoldedEsm2 folded(plain, kShape);
  for (const auto& [name, shape] :
       {std::pair{"layers.0.final_layer_norm.weight", Shape{kShape.width}},
        std::pair{"layers.0.fc1.weight", Shape{kShape.width, kShape.width}},
        std::pair{"head.weight", Shape{1, kShape.width}}}) {
    EXPECT_EQ(thrown_kind([&, name = name, shape = shape] { read(folded, name, shape); }),
              ErrorKind::kWeightsTensor)
        << name;
  }
}

}  // namespace
}  // namespace virnucpro
