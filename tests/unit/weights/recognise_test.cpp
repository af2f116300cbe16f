// Other kinds of models, and settings that contradict the tensors, are refused by name.

#include "weights/recognise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/weights/weight_builder.hpp"
#include "weights/model_config.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

class Recognise : public ::testing::Test {
 protected:
  // The repository's model with a change in its config.json.
  ErrorKind esm2_error(const std::string& from, const std::string& to) {
    return changed_error("esm2/hf_safetensors", from, to, [](const ModelFiles& model) {
      const Esm2Shape shape = recognise_esm2(model);
      esm2_tensors(model, shape);
    });
  }
  ErrorKind dnabert_error(const std::string& from, const std::string& to) {
    return changed_error("dnabert_s/safetensors", from, to,
                         [](const ModelFiles& model) { recognise_dnabert(model); });
  }

  std::string message_;

 private:
  ErrorKind changed_error(const std::string& model, const std::string& from, const std::string& to,
                          const std::function<void(const ModelFiles&)>& act) {
    const ScratchDir scratch;
    std::string config = read_text(weight_data() / model / "config.json");
    const std::size_t place = config.find(from);
    EXPECT_NE(place, std::string::npos);
    config.replace(place, from.size(), to);
    scratch.write("config.json", config);
    scratch.write("model.safetensors", read_text(weight_data() / model / "model.safetensors"));
    return error_of([&] { act(open_model_files(scratch.path())); }, &message_);
  }
};

TEST_F(Recognise, OtherModelsAreRefusedByName) {
  EXPECT_EQ(esm2_error("\"rotary\"", "\"absolute\""), kBadFormat);
  EXPECT_THAT(message_, HasSubstr("position_embedding_type is \"absolute\""));
  EXPECT_EQ(esm2_error("\"esm\"", "\"t5\""), kBadFormat);
  EXPECT_EQ(esm2_error("1e-05", "1e-12"), kBadFormat);
  EXPECT_EQ(esm2_error("\"emb_layer_norm_before\": false", "\"emb_layer_norm_before\": true"),
            kBadFormat);
  EXPECT_THAT(message_, HasSubstr("ESM-1b"));
  EXPECT_EQ(dnabert_error("\"bert\"", "\"roberta\""), kBadFormat);
  EXPECT_EQ(dnabert_error("\"gelu\"", "\"relu\""), kBadFormat);
}

TEST_F(Recognise, SettingsMustAgreeWithTheTensors) {
  EXPECT_EQ(esm2_error("\"hidden_size\": 8", "\"hidden_size\": 16"), kBadFormat);
  EXPECT_THAT(message_, HasSubstr("hidden_size = 16, but the tensors have 8"));
  EXPECT_EQ(esm2_error("\"num_attention_heads\": 2", "\"num_attention_heads\": 3"), kBadFormat);
  EXPECT_EQ(esm2_error("\"num_attention_heads\": 2", "\"num_attention_heads\": \"2\""), kBadFormat);
  EXPECT_EQ(esm2_error("\"num_attention_heads\": 2", "\"num_attention_heads\": 0"), kBadFormat);
  EXPECT_EQ(dnabert_error("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1"), kBadFormat);
}

TEST_F(Recognise, AMissingLayerIsToldByItsTensor) {
  EXPECT_EQ(esm2_error("\"num_hidden_layers\": 1", "\"num_hidden_layers\": 2"),
            ErrorKind::kWeightsTensor);
  EXPECT_THAT(message_, HasSubstr("layers.1.self_attn.q_proj.weight"));
}

TEST(RecogniseBert, PositionEmbeddingsAreRefused) {
  const ScratchDir scratch;
  const auto path = scratch.write(
      "bert.safetensors",
      build_safetensors({{"bert.embeddings.position_embeddings.weight", {1, 1}, {0.0F}}}));
  std::string message;
  EXPECT_EQ(error_of([&] { recognise_dnabert(open_model_files(path)); }, &message), kBadFormat);
  EXPECT_THAT(message, HasSubstr("position embeddings"));
}

TEST(ModelDirectory, WhatIsMissingIsNamed) {
  const ScratchDir scratch;
  std::string message;
  EXPECT_EQ(error_of([&] { open_model_files(scratch.path()); }, &message),
            ErrorKind::kWeightsMissing);
  EXPECT_THAT(message, HasSubstr("pytorch_model.bin"));
  scratch.write("model.safetensors.index.json", R"({"weight_map":{"a":"part-1.safetensors"}})");
  EXPECT_EQ(error_of([&] { open_model_files(scratch.path()); }, &message),
            ErrorKind::kWeightsMissing);
  EXPECT_THAT(message, HasSubstr("part-1.safetensors"));
}

TEST(ModelDirectory, AnIndexMayNotLeaveItsDirectory) {
  for (const char* name : {"../x", "/etc/passwd", "..", ""}) {
    EXPECT_EQ(error_of([&] {
                parse_shard_index(fmt::format(R"({{"weight_map":{{"a":"{}"}}}})", name), "index");
              }),
              kBadFormat);
  }
  EXPECT_EQ(error_of([] { parse_shard_index("{}", "index"); }), kBadFormat);
}

TEST(ModelDirectory, ATensorInTwoShardsIsRefused) {
  const ScratchDir scratch;
  scratch.write("a.safetensors", build_safetensors({{"x", {1}, {1.0F}}}));
  scratch.write("b.safetensors", build_safetensors({{"x", {1}, {2.0F}}}));
  scratch.write("model.safetensors.index.json",
                R"({"weight_map":{"x":"a.safetensors","y":"b.safetensors"}})");
  EXPECT_EQ(error_of([&] { open_model_files(scratch.path()); }), kBadFormat);
}

}  // namespace
}  // namespace virnucpro
