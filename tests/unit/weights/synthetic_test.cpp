#include "weights/synthetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "unit/weights/weight_builder.hpp"
#include "weights/load.hpp"
#include "weights/recognise.hpp"
#include "weights/write_weights.hpp"

namespace virnucpro {
namespace {

const ModelLookup kLookup{
    .models_dir = {}, .share_dir = std::filesystem::path(VIRNUCPRO_SOURCE_DIR) / "share/virnucpro"};

TEST(Synthetic, NamesAreTakenApart) {
  EXPECT_TRUE(is_synthetic("synthetic"));
  EXPECT_TRUE(is_synthetic("synthetic:esm2_tiny"));
  EXPECT_FALSE(is_synthetic("synthetics"));
  EXPECT_EQ(parse_synthetic("synthetic").seed, 0U);
  EXPECT_EQ(parse_synthetic("synthetic:7").seed, 7U);
  EXPECT_EQ(parse_synthetic("synthetic:dnabert-s").name, "dnabert-s");
  EXPECT_EQ(parse_synthetic("synthetic:esm2_t6_8M:12").name, "esm2_t6_8M");
  EXPECT_EQ(parse_synthetic("synthetic:esm2_t6_8M:12").seed, 12U);
  EXPECT_EQ(error_of([] { parse_synthetic("synthetic:x:12y"); }), ErrorKind::kUsage);
}

TEST(Synthetic, AShapeTellsHowManyNumbersThereAre) {
  const auto count = [](const Weights& weights) {
    std::uint64_t total = 0;
    for (const auto& [name, tensor] : dynamic_cast<const CheckedWeights&>(weights).all()) {
      std::uint64_t numbers = 1;
      for (const std::uint64_t size : tensor.shape) numbers *= size;
      total += numbers;
    }
    return total;
  };
  const Esm2Weights esm2 = load_esm2("synthetic:esm2_t36_3B", kLookup);
  EXPECT_EQ(numbers_of(esm2.shape), count(*esm2.tensors));
  const DnabertWeights dnabert_s = load_dnabert_s("synthetic:dnabert-s", kLookup);
  EXPECT_EQ(numbers_of(dnabert_s.shape), count(*dnabert_s.tensors));
  const ClassifierWeights classifier = load_classifier("synthetic", 3328, kLookup);
  EXPECT_EQ(numbers_of(classifier.shape), count(*classifier.tensors));
}

TEST(SyntheticShapes, TellThePublishedModelsFromTheTinyOne) {
  std::vector<std::string> published;
  for (const SyntheticShape& shape : synthetic_esm2_shapes()) {
    if (is_published_esm2(shape)) published.emplace_back(brief_name(shape));
  }
  EXPECT_EQ(published, (std::vector<std::string>{"esm2_t6_8M", "esm2_t12_35M", "esm2_t30_150M",
                                                 "esm2_t33_650M", "esm2_t36_3B", "esm2_t48_15B"}));
}

TEST(Synthetic, PublishedShapesAreKnownByBothNames) {
  for (const char* name : {"synthetic:esm2_t36_3B", "synthetic:esm2_t36_3B_UR50D:0"}) {
    const Esm2Weights esm2 = load_esm2(name, kLookup);
    EXPECT_EQ(esm2.shape.layers, 36U);
    EXPECT_EQ(esm2.shape.width, 2560U);
    EXPECT_EQ(esm2.shape.heads, 40U);
    EXPECT_EQ(esm2.shape.ffn, 10240U);
    EXPECT_TRUE(esm2.tensors->synthetic());
    EXPECT_EQ(esm2.tensors->origin(), "synthetic:esm2_t36_3B_UR50D:0");
  }
  EXPECT_EQ(error_of([] { load_esm2("synthetic:esm3", kLookup); }), ErrorKind::kWeightsMissing);
  EXPECT_EQ(load_classifier("synthetic:3", 96, kLookup).shape.inputs, 96U);
  for (const SyntheticShape& shape : synthetic_esm2_shapes()) {
    EXPECT_EQ(shape.width % (2 * shape.heads), 0U);
  }
  for (const SyntheticShape& shape : synthetic_dnabert_shapes()) {
    EXPECT_EQ(shape.width % shape.heads, 0U);
  }
}

// The definition again, in plain integers and doubles.
TEST(Synthetic, ValuesAreTheDefinedOnes) {
  const Esm2Weights esm2 = load_esm2("synthetic:esm2_tiny:5", kLookup);
  std::vector<float> values(32 * 128);
  esm2.tensors->read("layers.1.fc1.weight", {128, 32}, values);
  const std::uint64_t key = splitmix64(5U ^ splitmix64(fnv1a("layers.1.fc1.weight")));
  for (const std::size_t index : {0U, 1U, 31U, 4095U}) {
    const double bits = static_cast<double>(splitmix64(key + index * kSplitMixStep) >> 40U);
    const double uniform = (2 * bits + 1 - 16777216.0) / 16777216.0;
    EXPECT_EQ(static_cast<double>(values[index]), uniform * 2 / 4);  // gain 2, 32 columns: 2^-2
  }
  std::vector<float> scales(32);
  esm2.tensors->read("emb_layer_norm_after.weight", {32}, scales);
  for (const float scale : scales) {
    EXPECT_LT(std::fabs(scale - 1.0F), 0.126F);
    EXPECT_EQ(scale * 65536.0F, std::floor(scale * 65536.0F));
  }
}

TEST(Synthetic, SeedsAndModelsDiffer) {
  const std::string hash = load_esm2("synthetic:esm2_tiny", kLookup).tensors->hash();
  EXPECT_EQ(load_esm2("synthetic:esm2_tiny:0", kLookup).tensors->hash(), hash);
  EXPECT_NE(load_esm2("synthetic:esm2_tiny:1", kLookup).tensors->hash(), hash);
  EXPECT_FALSE(load_esm2("synthetic:esm2_tiny", kLookup)
                   .tensors->has("layers.0.self_attn.rot_emb.inv_freq"));
}

TEST(Synthetic, ExportedWeightsAreReadBackTheSame) {
  const ScratchDir scratch;
  const Esm2Weights esm2 = load_esm2("synthetic:esm2_tiny:2", kLookup);
  export_esm2(esm2, scratch.path() / "esm2");
  const Esm2Weights esm2_read = load_esm2(scratch.path() / "esm2", kLookup);
  EXPECT_EQ(esm2_read.tensors->hash(), esm2.tensors->hash());
  EXPECT_EQ(esm2_read.shape.heads, esm2.shape.heads);
  EXPECT_TRUE(esm2_read.tensors->synthetic());

  const DnabertWeights dnabert = load_dnabert_s("synthetic:dnabert-s-tiny", kLookup);
  export_dnabert_s(dnabert, scratch.path() / "dnabert");
  const DnabertWeights dnabert_read = load_dnabert_s(scratch.path() / "dnabert", kLookup);
  EXPECT_EQ(dnabert_read.tensors->hash(), dnabert.tensors->hash());
  EXPECT_TRUE(dnabert_read.tensors->synthetic());
  EXPECT_EQ(dnabert_read.shape.layer_norm_eps, dnabert.shape.layer_norm_eps);
  EXPECT_EQ(dnabert_read.tokenizer, scratch.path() / "dnabert/tokenizer.json");

  const ClassifierWeights classifier = load_classifier("synthetic:4", 80, kLookup);
  export_classifier(classifier, scratch.path() / "classifier.safetensors");
  const ClassifierWeights classifier_read =
      load_classifier(scratch.path() / "classifier.safetensors", 80, kLookup);
  EXPECT_TRUE(classifier_read.tensors->synthetic());
  EXPECT_EQ(classifier_read.tensors->hash(), classifier.tensors->hash());
}

}  // namespace
}  // namespace virnucpro
