#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "models/classifier.hpp"
#include "models/dnabert_s.hpp"
#include "models/esm2.hpp"
#include "unit/ops/random_weights.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr Esm2Shape kEsm{.layers = 2, .width = 40, .heads = 4, .ffn = 90, .token_dropout = true};
constexpr DnabertShape kDna{.layers = 2, .width = 36, .heads = 3, .ffn = 50, .vocabulary = 64};

Esm2Weights esm_weights() {
  return {kEsm, std::make_unique<RandomWeights>()};
}

DnabertWeights dna_weights() {
  auto tensors = std::make_unique<RandomWeights>();
  tensors->shapes["embeddings.token_type_embeddings.weight"] = {2, kDna.width};
  return {kDna, std::move(tensors), {}};
}

template <typename Token>
struct Packed {
  std::vector<Token> tokens;
  std::vector<std::uint32_t> offsets{0};

  void add(const std::vector<Token>& sequence) {
    tokens.insert(tokens.end(), sequence.begin(), sequence.end());
    offsets.push_back(static_cast<std::uint32_t>(tokens.size()));
  }
};

template <typename Model, typename Token>
std::vector<float> embed(const Model& model, OpContext& context, const Packed<Token>& packed) {
  std::vector<float> out((packed.offsets.size() - 1) * model.width());
  model.embed(context, {packed.tokens, packed.offsets}, out);
  return out;
}

template <typename Token>
std::vector<std::vector<Token>> random_sequences(std::mt19937& random, Token vocabulary) {
  std::vector<std::vector<Token>> sequences;
  for (const std::size_t length : {3U, 4U, 17U, 96U, 102U, 191U, 192U, 193U, 194U, 400U}) {
    std::vector<Token> sequence(length);
    for (Token& token : sequence) token = static_cast<Token>(random() % vocabulary);
    sequences.push_back(sequence);
  }
  return sequences;
}

// Compares every sequence alone on one thread with all of them in random packings on several.
template <typename Model, typename Token>
void expect_independence(const Model& model, Token vocabulary, Precision precision) {
  std::mt19937 random(3);
  auto sequences = random_sequences<Token>(random, vocabulary);
  const Cancel cancel;
  ThreadPool one(1);
  OpContext alone{one, cancel, precision};
  std::vector<std::vector<float>> expected;
  for (const auto& sequence : sequences) {
    Packed<Token> packed;
    packed.add(sequence);
    expected.push_back(embed(model, alone, packed));
  }
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    OpContext context{pool, cancel, precision};
    for (int round = 0; round < 4; ++round) {
      std::vector<std::size_t> order(1 + random() % 14);
      for (std::size_t& index : order) index = random() % sequences.size();
      Packed<Token> packed;
      for (const std::size_t index : order) packed.add(sequences[index]);
      const std::vector<float> out = embed(model, context, packed);
      for (std::size_t i = 0; i < order.size(); ++i) {
        ASSERT_EQ(std::memcmp(out.data() + i * model.width(), expected[order[i]].data(),
                              model.width() * sizeof(float)),
                  0)
            << threads << " threads, sequence of " << sequences[order[i]].size() << " tokens";
      }
    }
  }
}

using Models = Computing;

TEST_F(Models, Esm2BitsDoNotDependOnBatchOrThreads) {
  expect_independence<Esm2, std::uint8_t>(Esm2(esm_weights(), context), 33, Precision::kFp32);
}

TEST_F(Models, DnabertBitsDoNotDependOnBatchOrThreads) {
  expect_independence<DnabertS, std::uint16_t>(DnabertS(dna_weights(), context), 64,
                                               Precision::kFp32);
}

TEST_F(Models, Esm2AveragesTheFirst1024ResiduesOfAProteinItSeesWhole) {
  const Esm2 model(esm_weights(), context);
  std::vector<std::uint8_t> residues(1202, 5);
  residues.front() = 0;
  residues.back() = 2;
  Packed<std::uint8_t> packed;
  packed.add(residues);
  residues[1150] = 9;  // not part of the mean, but seen by attention
  packed.add(residues);
  const std::vector<float> out = embed(model, context, packed);
  double largest = 0;
  for (std::size_t i = 0; i < kEsm.width; ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(out[i] - out[i + kEsm.width])));
  }
  EXPECT_GT(largest, 0.0);
  EXPECT_LT(largest, 0.1);
}

TEST_F(Models, RefuseBatchesThatAreNotWhole) {
  const Esm2 model(esm_weights(), context);
  std::vector<float> out(40);
  const auto refused = [&](std::vector<std::uint8_t> tokens, std::vector<std::uint32_t> offsets) {
    const auto error = caught([&] { model.embed(context, {tokens, offsets}, out); });
    return error && error->kind() == ErrorKind::kInternal;
  };
  EXPECT_FALSE(refused({0, 5, 2}, {0, 3}));             // valid: one residue
  EXPECT_TRUE(refused({0, 2}, {0, 2}));                 // no residue to average
  EXPECT_TRUE(refused({0, 33, 2}, {0, 3}));             // no such token
  EXPECT_TRUE(refused({0, 5, 2}, {0, 4}));              // beyond the tokens
  EXPECT_TRUE(refused({0, 5, 2}, {0, 9, 3}));           // falling offsets
  EXPECT_TRUE(refused({0, 5, 2}, {}));                  // no offsets
  EXPECT_TRUE(refused({0, 5, 2, 0, 5, 2}, {0, 3, 6}));  // no room
}

TEST_F(Models, AnEmptyBatchGivesNothing) {
  const DnabertS model(dna_weights(), context);
  EXPECT_TRUE(embed(model, context, Packed<std::uint16_t>{}).empty());
}

TEST_F(Models, StopWhenCancelled) {
  const Esm2 model(esm_weights(), context);
  Packed<std::uint8_t> packed;
  packed.add({0, 4, 5, 2});
  cancel.request_now(2);
  EXPECT_THROW(embed(model, context, packed), Error);
}

TEST_F(Models, ComputeRotaryFrequenciesThatAreMissing) {
  auto tensors = std::make_unique<RandomWeights>();
  tensors->missing = {"layers.0.self_attn.rot_emb.inv_freq", "layers.1.self_attn.rot_emb.inv_freq"};
  const Esm2 model(Esm2Weights{kEsm, std::move(tensors)}, context);
  Packed<std::uint8_t> packed;
  packed.add({0, 4, 5, 6, 2});
  const std::vector<float> out = embed(model, context, packed);
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](float x) { return std::isfinite(x); }));
}

TEST_F(Models, RefuseShapesThatDoNotFit) {
  Esm2Weights odd = esm_weights();
  odd.shape.heads = 7;
  EXPECT_THROW(Esm2(odd, context), Error);
  DnabertWeights none = dna_weights();
  none.shape.width = 0;
  EXPECT_THROW(DnabertS(none, context), Error);
}

TEST_F(Models, ClassifierAgreesWithDoubles) {
  const ClassifierShape shape{.inputs = 50, .hidden = 30, .classes = 2};
  const RandomWeights tensors;
  const auto read = [&](const std::string& name, const Shape& size) {
    std::vector<float> values(size[0] * (size.size() == 2 ? size[1] : 1));
    tensors.read(name, size, values);
    return std::vector<double>(values.begin(), values.end());
  };
  const auto w1 = read("hidden_layer.weight", {30, 50});
  const auto b1 = read("hidden_layer.bias", {30});
  const auto mean = read("bn1.running_mean", {30});
  const auto variance = read("bn1.running_var", {30});
  const auto scale = read("bn1.weight", {30});
  const auto shift = read("bn1.bias", {30});
  const auto w2 = read("output_layer.weight", {2, 30});
  const auto b2 = read("output_layer.bias", {2});

  const Classifier classifier({shape, std::make_unique<RandomWeights>()}, context);
  Panels panels = normal_panels(7, 50, 5);
  const std::span<const float> merged = panels.values();
  std::vector<float> scores(14);
  classifier.classify(context, panels, scores);
  for (std::size_t frame = 0; frame < 7; ++frame) {
    double logits[2] = {b2[0], b2[1]};
    for (std::size_t j = 0; j < 30; ++j) {
      double x = b1[j];
      for (std::size_t i = 0; i < 50; ++i) {
        x += w1[j * 50 + i] * static_cast<double>(merged[frame * 50 + i]);
      }
      x = std::max(0.0, (x - mean[j]) / std::sqrt(variance[j] + 1e-5) * scale[j] + shift[j]);
      for (std::size_t c = 0; c < 2; ++c) logits[c] += w2[c * 30 + j] * x;
    }
    const double virus = 1.0 / (1.0 + std::exp(logits[0] - logits[1]));
    EXPECT_NEAR(scores[frame * 2 + 1], virus, 1e-6);
    EXPECT_NEAR(scores[frame * 2], 1.0 - virus, 1e-6);
  }
}

}  // namespace
}  // namespace virnucpro
