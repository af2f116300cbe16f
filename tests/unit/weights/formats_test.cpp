// The same numbers in every accepted format (tests/data/weights, from torch and safetensors by
// tests/oracle/weight_files.py): the same shape, names, values and hash.

#include <gtest/gtest.h>

#include <string_view>
#include <thread>

#include "unit/weights/weight_builder.hpp"
#include "weights/inspect.hpp"
#include "weights/load.hpp"

namespace virnucpro {
namespace {

const ModelLookup kNoLookup{
    .models_dir = {}, .share_dir = std::filesystem::path(VIRNUCPRO_SOURCE_DIR) / "share/virnucpro"};

std::vector<float> read_all(const Weights& weights, const std::string& name) {
  const Shape shape = weights.shape(name);
  std::size_t count = 1;
  for (const std::uint64_t size : shape) count *= size;
  std::vector<float> values(count);
  weights.read(name, shape, values);
  return values;
}

TEST(WeightFormats, EsmIsTheSameInEveryFormat) {
  std::string hash;
  for (const std::string_view form :
       {"fair_namespace.pt", "fair_dict.pt", "fair_args.pt", "fair_f16.pt", "hf_bin",
        "hf_bin_sharded", "hf_safetensors", "hf_safetensors_sharded", "hf_bf16", "hf_f16"}) {
    SCOPED_TRACE(form);
    const Esm2Weights esm2 = load_esm2(weight_data() / "esm2" / form, kNoLookup);
    EXPECT_EQ(esm2.shape.layers, 1U);
    EXPECT_EQ(esm2.shape.width, 8U);
    EXPECT_EQ(esm2.shape.heads, 2U);
    EXPECT_EQ(esm2.shape.ffn, 16U);
    EXPECT_TRUE(esm2.shape.token_dropout);
    EXPECT_FALSE(esm2.tensors->synthetic());
    EXPECT_EQ(esm2.tensors->shape("layers.0.self_attn.rot_emb.inv_freq"), Shape{2});
    if (hash.empty()) hash = esm2.tensors->hash();
    EXPECT_EQ(esm2.tensors->hash(), hash);
  }
}

TEST(WeightFormats, DnabertIsTheSameInEveryFormat) {
  std::string hash;
  for (const std::string_view form : {"bin", "gamma_beta", "safetensors", "bf16"}) {
    SCOPED_TRACE(form);
    const DnabertWeights dnabert = load_dnabert_s(weight_data() / "dnabert_s" / form, kNoLookup);
    EXPECT_EQ(dnabert.shape.layers, 2U);
    EXPECT_EQ(dnabert.shape.width, 12U);
    EXPECT_EQ(dnabert.shape.heads, 3U);
    EXPECT_EQ(dnabert.shape.ffn, 16U);
    EXPECT_EQ(dnabert.shape.vocabulary, 32U);
    EXPECT_EQ(dnabert.tokenizer, kNoLookup.share_dir / "dnabert-s/tokenizer.json");
    if (hash.empty()) hash = dnabert.tensors->hash();
    EXPECT_EQ(dnabert.tensors->hash(), hash);
  }
}

TEST(WeightFormats, ClassifierIsTheSameInEveryFormat) {
  std::string hash;
  for (const std::string_view form :
       {"module.pth", "state_dict.pth", "classifier.safetensors", "transposed.pth"}) {
    SCOPED_TRACE(form);
    const ClassifierWeights classifier =
        load_classifier(weight_data() / "classifier" / form, 20, kNoLookup);
    EXPECT_EQ(classifier.shape.inputs, 20U);
    EXPECT_EQ(classifier.shape.hidden, 6U);
    EXPECT_FLOAT_EQ(classifier.shape.batch_norm_eps, 1e-5F);
    if (hash.empty()) hash = classifier.tensors->hash();
    EXPECT_EQ(classifier.tensors->hash(), hash);
  }
}

TEST(WeightFormats, ValuesOfAPickledModuleAreThoseOfSafetensors) {
  const auto left = load_classifier(weight_data() / "classifier/module.pth", 20, kNoLookup);
  const auto right = load_classifier(weight_data() / "classifier/transposed.pth", 20, kNoLookup);
  const auto expected =
      load_classifier(weight_data() / "classifier/classifier.safetensors", 20, kNoLookup);
  for (const char* name : {"hidden_layer.weight", "bn1.running_var", "output_layer.bias"}) {
    const std::vector<float> values = read_all(*expected.tensors, name);
    EXPECT_EQ(read_all(*left.tensors, name), values);
    EXPECT_EQ(read_all(*right.tensors, name), values);
  }
}

TEST(WeightFormats, HashIsTheSameWhetherTensorsWereReadOrNot) {
  const auto path = weight_data() / "dnabert_s/bin";
  const DnabertWeights read = load_dnabert_s(path, kNoLookup);
  std::vector<std::thread> threads;
  for (const char* name : {"embeddings.word_embeddings.weight", "encoder.layer.1.mlp.wo.weight",
                           "encoder.layer.0.mlp.wo.weight"}) {
    threads.emplace_back([&read, name] { read_all(*read.tensors, name); });
  }
  threads.emplace_back([&read] { (void)read.tensors->hash(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read.tensors->hash(), load_dnabert_s(path, kNoLookup).tensors->hash());
}

TEST(WeightFormats, AnyChangedValueChangesTheHash) {
  const ScratchDir scratch;
  auto tensors = small_classifier();
  const auto hash = [&] {
    const auto path = scratch.write("c.safetensors", build_safetensors(tensors));
    return load_classifier(path, 3, kNoLookup).tensors->hash();
  };
  const std::string before = hash();
  tensors[0].values[5] = 0.25F;
  EXPECT_NE(hash(), before);
}

TEST(WeightFormats, InspectTellsWhatAFileIs) {
  const Inspection module = inspect_model(weight_data() / "classifier/module.pth", true);
  EXPECT_EQ(module.kind, "torch zip, pickled __main__.MLPClassifier");
  EXPECT_EQ(module.model, "classifier");
  EXPECT_EQ(module.shape, "20 inputs, 6 hidden units, 2 classes");
  EXPECT_EQ(module.tensors.size(), 9U);  // includes num_batches_tracked
  EXPECT_EQ(module.problem, "");
  EXPECT_FALSE(module.hash.empty());

  const Inspection sharded = inspect_model(weight_data() / "esm2/hf_bin_sharded", false);
  EXPECT_EQ(sharded.kind, "torch zip, 3 files, with config.json");
  EXPECT_EQ(sharded.model, "ESM-2");
  EXPECT_EQ(sharded.shape, "1 layers, width 8, 2 heads, feed-forward 16");
  EXPECT_EQ(sharded.hash, "");

  const ScratchDir scratch;
  const Inspection other =
      inspect_model(scratch.write("x.safetensors", build_safetensors({{"x", {1}, {1.0F}}})), false);
  EXPECT_EQ(other.model, "unknown");
  EXPECT_NE(other.problem, "");
}

}  // namespace
}  // namespace virnucpro
