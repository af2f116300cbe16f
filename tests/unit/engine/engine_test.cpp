#include "engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "base/error.hpp"
#include "models/classifier.hpp"
#include "ops/context.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr EngineOutputs kAll{.scores = true, .dnabert_s = true, .esm2 = true};

std::vector<FrameTokens> some_frames() {
  std::mt19937 random(1);
  std::vector<FrameTokens> frames;
  for (const std::size_t residues : {1U, 2U, 33U, 99U, 250U}) {
    frames.push_back(random_frame(random, residues));
  }
  return frames;
}

struct Engines : testing::Test {
  std::unique_ptr<Engine> engine(const EngineOutputs& outputs, std::size_t threads = 1) const {
    return make_engine(tiny_models(), {.threads = threads, .outputs = outputs}, cancel);
  }
  BatchResult run(const EngineModels& models, const std::vector<FrameTokens>& frames) const {
    return make_engine(models, {.outputs = kAll}, cancel)->run(request_of(0, frames));
  }

  Cancel cancel;
};

TEST_F(Engines, ComputeInTheirCheckPrecisionWhatAsksForIt) {
  BatchRequest request = request_of(0, some_frames());
  const auto alone = [&](Precision precision) {
    return make_engine(tiny_models(), {.precisions = {precision}, .outputs = kAll}, cancel)
        ->run(request_of(0, some_frames()));
  };
  const auto both = make_engine(
      tiny_models(), {.precisions = {Precision::kInt8, Precision::kFp32}, .outputs = kAll}, cancel);
  const BatchResult coarse = both->run(request);
  const BatchResult coarse_alone = alone(Precision::kInt8);
  EXPECT_EQ(coarse.scores, coarse_alone.scores);
  EXPECT_EQ(coarse.esm2, coarse_alone.esm2);
  request.model = kCheckModel;
  const BatchResult exact = both->run(request);
  const BatchResult exact_alone = alone(Precision::kFp32);
  EXPECT_EQ(exact.scores, exact_alone.scores);
  EXPECT_EQ(exact.esm2, exact_alone.esm2);
  EXPECT_EQ(exact.dnabert_s, coarse.dnabert_s);
  EXPECT_NE(exact.esm2, coarse.esm2);
}

// With weights of both kinds it computes what an engine of that policy does, but for the biases,
// which are corrected with all linears in 8 bits.
TEST_F(Engines, ChangeTheirPolicy) {
  const BatchRequest request = request_of(0, some_frames());
  Int8Policy policy;
  const auto engine = make_search_engine(
      tiny_models(), {.precisions = {Precision::kInt8}, .outputs = kAll}, policy, cancel);
  const auto of_policy = [&](const char* text) {
    policy = Int8Policy::parse(text).value();
    const BatchResult ours = engine->run(request);
    const BatchResult alone =
        make_engine(tiny_models(),
                    {.precisions = {Precision::kInt8}, .int8_policy = policy, .outputs = kAll},
                    cancel)
            ->run(request);
    return std::pair(ours.esm2, alone.esm2);
  };
  const auto [none, none_alone] = of_policy("none");
  EXPECT_EQ(none, none_alone);
  const auto [all, all_alone] = of_policy("qkv,out,fc1,fc2");
  EXPECT_EQ(all, all_alone);
  EXPECT_NE(all, none);
  const auto [some, some_alone] = of_policy("0.qkv,1.fc2");
  ASSERT_EQ(some.size(), some_alone.size());
  for (std::size_t i = 0; i < some.size(); ++i) EXPECT_NEAR(some[i], some_alone[i], 0.02);
  EXPECT_NE(some, none);
  EXPECT_NE(some, all);
}

TEST_F(Engines, ClassifyBothEmbeddingsOfAFrameSideBySide) {
  const auto engine = this->engine(kAll);
  const std::vector<FrameTokens> frames = some_frames();
  const BatchResult result = engine->run(request_of(17, frames));
  EXPECT_EQ(result.id, 17U);
  EXPECT_THAT(result.not_finite, IsEmpty());

  const std::size_t dna = engine->facts().dnabert_s_width;
  const std::size_t esm = engine->facts().esm2_width;
  ASSERT_EQ(result.dnabert_s.size(), frames.size() * dna);
  ASSERT_EQ(result.esm2.size(), frames.size() * esm);
  std::vector<float> merged;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto* dna_row = result.dnabert_s.data() + i * dna;
    const auto* esm_row = result.esm2.data() + i * esm;
    merged.insert(merged.end(), dna_row, dna_row + dna);
    merged.insert(merged.end(), esm_row, esm_row + esm);
  }
  ThreadPool pool(1);
  OpContext context{pool, cancel};
  std::vector<float> scores(2 * frames.size());
  Panels panels(frames.size(), dna + esm);
  std::copy(merged.begin(), merged.end(), panels.values().begin());
  Classifier(tiny_models().classifier, context).classify(context, panels, scores);
  EXPECT_EQ(result.scores, scores);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_NEAR(scores[2 * i] + scores[2 * i + 1], 1.0, 1e-6);
  }
  EXPECT_NE(scores[0], scores[2]);
}

TEST_F(Engines, GiveWhatIsAskedFor) {
  const BatchRequest request = request_of(0, some_frames());
  const BatchResult all = engine(kAll)->run(request);
  for (const bool scores : {false, true}) {
    for (const bool dna : {false, true}) {
      for (const bool esm : {false, true}) {
        const EngineOutputs outputs{.scores = scores, .dnabert_s = dna, .esm2 = esm};
        const BatchResult result = engine(outputs, 3)->run(request);
        EXPECT_EQ(result.scores, scores ? all.scores : std::vector<float>{});
        EXPECT_EQ(result.dnabert_s, dna ? all.dnabert_s : std::vector<float>{});
        EXPECT_EQ(result.esm2, esm ? all.esm2 : std::vector<float>{});
      }
    }
  }
}

TEST_F(Engines, TellFromWhatTheCpuTookItsBudget) {
  const auto engine = this->engine(kAll, 2);
  const EngineFacts facts = engine->facts();
  EXPECT_TRUE(facts.plan.is_auto);
  EXPECT_EQ(facts.plan.threads, 2U);
  EXPECT_EQ(facts.plan.tokens, engine->facts().plan.tokens);
  EXPECT_EQ(facts.esm2_layers, tiny_models().esm2.shape.layers);
  EXPECT_FALSE(facts.memory || engine->run(request_of(0, some_frames())).memory);
  const auto asked =
      make_engine(tiny_models(), {.outputs = kAll, .token_budget = 77}, cancel)->facts();
  EXPECT_EQ(asked.plan.tokens, 77U);
  EXPECT_FALSE(asked.plan.is_auto);
}

TEST_F(Engines, NeedNoModelThatNoOutputNeeds) {
  EngineModels models;
  models.esm2 = tiny_models().esm2;
  const auto engine =
      make_engine(models, {.outputs = {.scores = false, .dnabert_s = false, .esm2 = true}}, cancel);
  EXPECT_EQ(engine->facts().dnabert_s_width, 0U);
  FrameTokens protein;
  protein.esm = esm_tokens("MKV");
  EXPECT_EQ(engine->run(request_of(0, {protein})).esm2.size(), engine->facts().esm2_width);
}

TEST_F(Engines, AnswerAnEmptyBatch) {
  const BatchResult result = engine(kAll)->run(request_of(5, {}));
  EXPECT_EQ(result.id, 5U);
  EXPECT_THAT(result.scores, IsEmpty());
  EXPECT_THAT(result.not_finite, IsEmpty());
}

TEST_F(Engines, RefuseAClassifierOfAnotherWidth) {
  EngineModels models = tiny_models();
  models.classifier = load_classifier("synthetic", 79, tiny_lookup());
  const Error error = thrown([&] { make_engine(models, {}, cancel); });
  EXPECT_EQ(error.kind(), ErrorKind::kWeightsTensor);
  EXPECT_EQ(error.place().file, models.classifier.tensors->origin());
  EXPECT_EQ(error.place().tensor, "hidden_layer.weight");
  EXPECT_THAT(error.detail(), testing::HasSubstr("the classifier has 79 inputs"));
}

TEST_F(Engines, NameTheFramesThatAreNotFinite) {
  const std::string dna(30, 'A');
  const std::vector<FrameTokens> frames{frame_tokens("MKV", dna), frame_tokens("MWV", dna),
                                        frame_tokens("KKKKKKKKW", dna), frame_tokens("L", dna)};
  const BatchResult bad = run(models_that_fail_on_w(), frames);
  EXPECT_THAT(bad.not_finite, ElementsAre(1, 2));
  // The other frames have the same results as without such neighbours.
  const BatchResult good = run(tiny_models(), frames);
  EXPECT_TRUE(std::equal(good.scores.begin(), good.scores.begin() + 2, bad.scores.begin()));
  EXPECT_TRUE(std::equal(good.scores.end() - 2, good.scores.end(), bad.scores.end() - 2));
}

TEST_F(Engines, NameFramesWhoseActivationsOverflow) {
  EngineModels models = tiny_models();
  change(models.dnabert_s.tensors, [](const std::string& name, std::span<float> values) {
    if (name != "encoder.layer.1.mlp.layernorm.weight") return;
    for (float& value : values) value = 3e38F;
  });
  EXPECT_THAT(run(models, some_frames()).not_finite, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(Engines, NameFramesWhoseScoresOverflow) {
  EngineModels models = tiny_models();
  change(models.classifier.tensors, [](const std::string& name, std::span<float> values) {
    if (name != "output_layer.weight") return;
    for (float& value : values) value = 3e38F;
  });
  const BatchResult result = run(models, some_frames());
  EXPECT_THAT(result.not_finite, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(Engines, StopAtASignal) {
  for (const auto& [signal, kind] :
       {std::pair{SIGINT, ErrorKind::kInterrupted}, std::pair{SIGTERM, ErrorKind::kTerminated}}) {
    Cancel signalled;
    const auto engine = make_engine(tiny_models(), {.threads = 2, .outputs = kAll}, signalled);
    signalled.request_now(signal);
    EXPECT_EQ(thrown_kind([&] { engine->run(request_of(0, some_frames())); }), kind);
  }
}

}  // namespace
}  // namespace virnucpro
