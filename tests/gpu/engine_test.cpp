#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/batch_memory_cuda.hpp"
#include "gpu/on_device.hpp"
#include "tensor/device_memory.hpp"
#include "tokens/packer.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/needs.hpp"

namespace virnucpro {
namespace {

constexpr EngineOutputs kAll{.scores = true, .dnabert_s = true, .esm2 = true};

std::vector<FrameTokens> some_frames(std::size_t count) {
  std::mt19937 random(11);
  std::vector<FrameTokens> frames;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t residues = i % 7 == 0 ? 1 + random() % 900 : 1 + random() % 170;
    frames.push_back(random_frame(random, residues));
  }
  return frames;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return ab / std::sqrt(aa * bb);
}

// Settings of an engine with the device's own kernels, or with the generic ones.
EngineSettings settings_of(KernelPath path, std::vector<Precision> precisions,
                           std::size_t token_budget) {
  return {.precisions = std::move(precisions),
          .outputs = kAll,
          .gpu = 0,
          .generic_kernels = path == KernelPath::kGeneric,
          .token_budget = token_budget};
}

struct EngineOnGpu : testing::TestWithParam<KernelPath> {
  EngineSettings settings(std::vector<Precision> precisions,
                          std::size_t token_budget = 4096) const {
    return settings_of(GetParam(), std::move(precisions), token_budget);
  }
  std::unique_ptr<Engine> engine(Precision precision, std::size_t token_budget = 4096) const {
    return make_engine(tiny_models(), settings({precision}, token_budget), cancel);
  }
  std::unique_ptr<Engine> wide_engine(Precision precision, std::size_t token_budget = 4096) const {
    return make_engine(models_with_wide_heads(), settings({precision}, token_budget), cancel);
  }

  Cancel cancel;
};

INSTANTIATE_TEST_SUITE_P(Kernels, EngineOnGpu, kKernelPaths, name_of_path);

struct ModelKind {
  std::string name;
  EngineModels (*models)();
  KernelPath path;
};

// Heads of 64 and of other widths: each kind has its own attention on Hopper.
struct ModelsOnGpu : testing::TestWithParam<ModelKind> {
  std::unique_ptr<Engine> engine(Precision precision, std::size_t token_budget = 4096) const {
    return make_engine(GetParam().models(), settings_of(GetParam().path, {precision}, token_budget),
                       cancel);
  }

  Cancel cancel;
};

TEST_P(ModelsOnGpu, AgreesWithTheCpu) {
  const BatchRequest request = request_of(3, some_frames(60));
  const BatchResult expected =
      make_engine(GetParam().models(), {.threads = 4, .outputs = kAll}, cancel)->run(request);
  // fp32's, fp16's and bf16's least cosines are those of semantics.md, section 7.
  for (const auto& [precision, largest, least_cosine] :
       {std::tuple{Precision::kFp32, 1e-4, 0.9999999}, std::tuple{Precision::kFp16, 2e-2, 0.99999},
        std::tuple{Precision::kBf16, 1e-1, 0.9999}, std::tuple{Precision::kInt8, 3e-1, 0.998}}) {
    const auto gpu = engine(precision);
    const BatchResult result = gpu->run(request);
    EXPECT_EQ(result.id, 3U);
    EXPECT_TRUE(result.not_finite.empty());
    ASSERT_EQ(result.scores.size(), expected.scores.size());
    for (const auto& [values, right] : {std::pair{&result.dnabert_s, &expected.dnabert_s},
                                        std::pair{&result.esm2, &expected.esm2}}) {
      ASSERT_EQ(values->size(), right->size());
      const std::size_t width = values->size() / request.frames.frames();
      for (std::size_t i = 0; i < values->size(); ++i) {
        ASSERT_NEAR((*values)[i], (*right)[i], largest) << name_of(precision);
      }
      for (std::size_t row = 0; row < values->size(); row += width) {
        EXPECT_GE(
            cosine(std::span{*values}.subspan(row, width), std::span{*right}.subspan(row, width)),
            least_cosine)
            << name_of(precision);
      }
    }
    for (std::size_t i = 0; i < result.scores.size(); ++i) {
      ASSERT_NEAR(result.scores[i], expected.scores[i], 10 * largest) << name_of(precision);
    }
  }
}

// A frame's results, compared bit by bit.
struct FrameResult {
  std::vector<float> scores, dnabert_s, esm2;
  bool operator==(const FrameResult&) const = default;
};

FrameResult result_of(const BatchResult& batch, std::size_t index) {
  const std::size_t frames = batch.scores.size() / 2;
  const auto row = [&](const std::vector<float>& values) {
    const std::size_t width = values.size() / frames;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(index * width);
    return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(width));
  };
  return {row(batch.scores), row(batch.dnabert_s), row(batch.esm2)};
}

// Computes the frames in batches as in a run, with two batches in progress at a time.
std::map<std::uint64_t, FrameResult> run_packed(Engine& engine, std::size_t token_budget,
                                                const std::vector<FrameTokens>& frames,
                                                const std::vector<std::uint64_t>& order) {
  Packer packer({.token_budget = token_budget,
                 .frames_in_window = 16,
                 .tokens_in_window = 0,
                 .frames_per_batch = 1000,
                 .deduplicate = false});
  std::map<std::uint64_t, FrameResult> results;
  std::deque<PackedBatch> begun;
  const auto finish = [&] {
    const BatchResult result = engine.finish();
    for (std::size_t i = 0; i < begun.front().occurrences.size(); ++i) {
      results[begun.front().occurrences[i].front()] = result_of(result, i);
    }
    begun.pop_front();
  };
  const auto begin = [&](PackedBatch batch) {
    if (begun.size() == engine.facts().depth) finish();
    engine.begin({.id = 0, .frames = batch.frames});
    begun.push_back(std::move(batch));
  };
  for (const std::uint64_t number : order) {
    packer.add(FrameTokens(frames[number]), number);
    while (std::optional<PackedBatch> batch = packer.next_batch()) begin(std::move(*batch));
  }
  while (std::optional<PackedBatch> batch = packer.drain()) begin(std::move(*batch));
  while (!begun.empty()) finish();
  return results;
}

TEST_P(ModelsOnGpu, GivesAFrameTheSameBitsInAnyPacking) {
  const std::vector<FrameTokens> frames = some_frames(50);
  for (const Precision precision :
       {Precision::kFp32, Precision::kFp16, Precision::kBf16, Precision::kInt8}) {
    const auto gpu = engine(precision);
    const BatchResult all = gpu->run(request_of(0, frames));
    std::mt19937 random(23);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::uint64_t> order(frames.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      order.resize(1 + random() % order.size());
      const std::size_t budget = 64U << (random() % 8);
      for (const auto& [number, result] : run_packed(*gpu, budget, frames, order)) {
        ASSERT_EQ(result, result_of(all, number))
            << name_of(precision) << ", " << budget << " tokens a batch, frame " << number;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Heads, ModelsOnGpu,
    testing::Values(ModelKind{"of_8_and_16", tiny_models, KernelPath::kOwn},
                    ModelKind{"of_64", models_with_wide_heads, KernelPath::kOwn},
                    ModelKind{"generic_of_8_and_16", tiny_models, KernelPath::kGeneric},
                    ModelKind{"generic_of_64", models_with_wide_heads, KernelPath::kGeneric}),
    [](const auto& test) { return test.param.name; });

// Batches of both precisions, begun in turns: each gives what an engine of its precision gives.
TEST_P(EngineOnGpu, ComputesInItsCheckPrecisionWhatAsksForIt) {
  const std::vector<FrameTokens> frames = some_frames(30);
  for (const auto& [first, check] : {std::pair{Precision::kInt8, Precision::kFp16},
                                     std::pair{Precision::kInt8, Precision::kFp32},
                                     std::pair{Precision::kFp16, Precision::kFp32},
                                     std::pair{Precision::kBf16, Precision::kFp16}}) {
    const auto both = make_engine(models_with_wide_heads(), settings({first, check}, 512), cancel);
    const auto bits_of = [](const BatchResult& result) {
      return std::tuple(result.scores, result.dnabert_s, result.esm2);
    };
    const auto alone = [&](Precision precision) {
      return bits_of(wide_engine(precision, 512)->run(request_of(0, frames)));
    };
    const auto expected = std::pair(alone(first), alone(check));
    EXPECT_NE(expected.first, expected.second);
    for (int round = 0; round < 3; ++round) {
      BatchRequest request = request_of(0, frames);
      both->begin(request);
      request.model = kCheckModel;
      both->begin(request);
      EXPECT_EQ(bits_of(both->finish()), expected.first) << name_of(first);
      EXPECT_EQ(bits_of(both->finish()), expected.second) << name_of(check);
    }
  }
}

// Linears in 16 bits among those in 8: each form in which an operand may come meets each that takes
// it.
TEST_P(EngineOnGpu, KeepsTheLinearsOfItsPolicyIn16Bits) {
  const std::vector<FrameTokens> frames = some_frames(40);
  const BatchRequest request = request_of(0, frames);
  const BatchResult right = wide_engine(Precision::kFp32)->run(request);
  const auto error = [&](const char* keep) {
    EngineSettings kept = settings({Precision::kInt8});
    kept.int8_policy = Int8Policy::parse(keep).value();
    const BatchResult result = make_engine(models_with_wide_heads(), kept, cancel)->run(request);
    double sum = 0;
    for (std::size_t i = 0; i < right.esm2.size(); ++i) {
      sum += std::pow(static_cast<double>(result.esm2[i]) - static_cast<double>(right.esm2[i]), 2);
    }
    return sum;
  };
  const double plain = error("none");
  EXPECT_GT(plain, 0);
  for (const char* const keep : {"qkv", "out", "fc1", "fc2", "0.qkv,1.fc2"}) {
    EXPECT_LT(error(keep), plain) << keep;
  }
  EXPECT_LT(error("qkv,out,fc1,fc2"), 1e-2 * plain);
}

// With weights of both kinds: as an engine of that policy, but for biases that were corrected with
// all linears in 8 bits.
TEST_P(EngineOnGpu, ChangesItsPolicy) {
  const BatchRequest request = request_of(0, some_frames(40));
  EngineSettings changed = settings({Precision::kInt8});
  const auto any =
      make_search_engine(models_with_wide_heads(), changed, changed.int8_policy, cancel);
  for (const char* const keep : {"qkv,out,fc1,fc2", "none", "0.qkv,1.fc2", "fc1", "none"}) {
    changed.int8_policy = Int8Policy::parse(keep).value();
    const BatchResult ours = any->run(request);
    const BatchResult alone = make_engine(models_with_wide_heads(), changed, cancel)->run(request);
    ASSERT_EQ(ours.esm2.size(), alone.esm2.size());
    if (std::string_view(keep) == "none" || std::string_view(keep) == "qkv,out,fc1,fc2") {
      EXPECT_EQ(ours.esm2, alone.esm2) << keep;
    }
    for (std::size_t i = 0; i < alone.esm2.size(); ++i) {
      ASSERT_NEAR(ours.esm2[i], alone.esm2[i], 0.05) << keep;
    }
  }
}

TEST_P(EngineOnGpu, GivesBatchesBackInTheirOrder) {
  const auto gpu = engine(Precision::kFp16);
  const std::vector<FrameTokens> frames = some_frames(40);
  const BatchResult expected = gpu->run(request_of(0, frames));
  const BatchResult none = gpu->run(request_of(9, {}));
  EXPECT_EQ(none.id, 9U);
  EXPECT_TRUE(none.scores.empty());
  ASSERT_EQ(gpu->facts().depth, 2U);
  gpu->begin(request_of(1, frames));
  for (std::uint64_t id = 2; id < 30; ++id) {
    gpu->begin(request_of(id, frames));
    const BatchResult result = gpu->finish();
    EXPECT_EQ(result.id, id - 1);
    EXPECT_EQ(result.scores, expected.scores);
  }
  EXPECT_EQ(gpu->finish().scores, expected.scores);
}

TEST_P(EngineOnGpu, AsksForNoMemoryInSteadyState) {
  constexpr std::size_t kBudget = 30'000;
  const auto gpu = engine(Precision::kFp16, kBudget);
  const std::uint64_t asked = device_allocator().asked();
  // The most frames that fit, then longer and longer ones.
  const FrameTokens one = frame_tokens("M", "ATG");
  const std::vector<FrameTokens> shortest(kBudget / std::max(one.esm.size(), one.dna.size()), one);
  gpu->run(request_of(0, shortest));
  for (std::size_t count = 1; count < 100; count += 7) gpu->run(request_of(0, some_frames(count)));
  EXPECT_EQ(device_allocator().asked(), asked);
}

TEST_P(EngineOnGpu, TakesASmallerBudgetWhereMemoryIsShort) {
  constexpr std::size_t kTooMuch = std::size_t{1} << 34U;
  const std::vector<FrameTokens> frames = some_frames(30);
  const BatchResult expected = engine(Precision::kFp16)->run(request_of(0, frames));
  const auto gpu = engine(Precision::kFp16, kTooMuch);
  EXPECT_LT(gpu->facts().plan.tokens, kTooMuch);
  EXPECT_EQ(gpu->run(request_of(0, frames)).scores, expected.scores);
}

// Such an engine has no room for the check model beside batches of the wanted size.
TEST_P(EngineOnGpu, KeepsTheWeightsOfItsCheckModelOnTheHostWhereMemoryIsShort) {
  constexpr std::size_t kTooMuch = std::size_t{1} << 34U;
  const BatchRequest request = request_of(0, some_frames(30));
  for (const auto& [first, check] : {std::pair{Precision::kInt8, Precision::kFp16},
                                     std::pair{Precision::kFp16, Precision::kFp32}}) {
    const auto run_both = [&](std::size_t budget) {
      const auto engine =
          make_engine(models_with_wide_heads(), settings({first, check}, budget), cancel);
      std::vector<std::vector<float>> scores;
      for (const std::uint32_t model : {kCheckModel, kRunModel, kCheckModel, kCheckModel}) {
        BatchRequest asked = request;
        asked.model = model;
        scores.push_back(engine->run(asked).scores);
      }
      return std::pair(scores, engine->facts().plan.weights);
    };
    const auto [expected, all_weights] = run_both(4096);
    const auto [scores, weights] = run_both(kTooMuch);
    EXPECT_EQ(scores, expected) << name_of(first);
    EXPECT_LT(weights, all_weights) << name_of(first);
  }
}

TEST_P(EngineOnGpu, TellsItsMemoryAndFromWhatItTookItsBudget) {
  const auto gpu = engine(Precision::kFp16);
  const EngineFacts facts = gpu->facts();
  EXPECT_EQ(facts.plan.tokens, 4096U);
  EXPECT_EQ(facts.plan.threads, 0U);
  EXPECT_FALSE(facts.plan.is_auto);
  EXPECT_GT(facts.plan.weights, 0U);
  EXPECT_GT(facts.plan.batches, 0U);
  EXPECT_GT(facts.plan.free, facts.plan.weights);
  EXPECT_GE(facts.plan.total, facts.plan.free);
  EXPECT_EQ(facts.esm2_layers, tiny_models().esm2.shape.layers);
  const auto memory = gpu->run(request_of(0, some_frames(30))).memory;
  for (const std::optional<WorkerMemory>& known : {facts.memory, memory}) {
    ASSERT_TRUE(known);
    EXPECT_GT(known->used, 0U);
    EXPECT_LE(known->used, known->reserved);
    EXPECT_LE(known->used, known->peak);
    EXPECT_LE(known->reserved, known->device_used);
    EXPECT_LE(known->device_used, known->device_total);
  }
}

ModelShapes shapes_of(const EngineModels& models) {
  return {.dnabert_s = models.dnabert_s.shape,
          .esm2 = models.esm2.shape,
          .classifier = models.classifier.shape};
}

// Rotary tables and small vectors beside them are not counted.
TEST_P(EngineOnGpu, TakesForItsBatchesWhatTheirShapesSay) {
  for (const Precision precision : {Precision::kFp16, Precision::kFp32}) {
    const BudgetPlan plan = engine(precision)->facts().plan;
    const MemoryNeed need = memory_need(shapes_of(tiny_models()), kAll, precision, plan.tokens);
    EXPECT_LE(need.batches, plan.batches);
    EXPECT_GE(static_cast<double>(need.batches), 0.8 * static_cast<double>(plan.batches));
  }
}

// The published 3B beside DNABERT-S: sizes of files on Hugging Face, in 16 bits.
TEST(MemoryNeeds, AreThoseOfThePublishedModels) {
  const ModelShapes shapes{
      .dnabert_s = {.layers = 12, .width = 768, .heads = 12, .ffn = 3072, .vocabulary = 4096},
      .esm2 = {.layers = 36, .width = 2560, .heads = 40, .ffn = 10240},
      .classifier = {.inputs = 3328, .hidden = 512}};
  const EngineOutputs scores{.scores = true};
  const MemoryNeed need = memory_need(shapes, scores, Precision::kFp16, 512);
  EXPECT_NEAR(static_cast<double>(need.weights), 5.9e9, 0.1e9);
  EXPECT_GT(need.batches, 512U * (2560U * 4 + 12800U * 2 + 10240U * 2));
  EXPECT_LT(need.batches, 100U << 20U);
  const std::vector<MemoryNeed> smaller = needs_with_smaller_esm2(shapes, scores, 512);
  ASSERT_EQ(smaller.size(), 4U);
  EXPECT_EQ(smaller[0].esm2, "esm2_t33_650M_UR50D");
  EXPECT_NEAR(static_cast<double>(smaller[0].weights), 1.53e9, 0.05e9);
  EXPECT_EQ(smaller[3].esm2, "esm2_t6_8M_UR50D");
  EXPECT_TRUE(needs_with_smaller_esm2(shapes, {.scores = false, .dnabert_s = true}, 512).empty());
}

TEST_P(EngineOnGpu, TellsWhereItsTimeWent) {
  const auto gpu = engine(Precision::kFp16);
  const std::vector<FrameTokens> frames = some_frames(30);
  const BatchTimes first = gpu->run(request_of(0, frames)).times;
  const BatchTimes second = gpu->run(request_of(1, frames)).times;
  EXPECT_EQ(first.waiting, 0);
  EXPECT_GT(second.waiting, 0);  // the device was idle in between
  for (const BatchTimes& times : {first, second}) {
    EXPECT_GT(times.esm2, 0);
    EXPECT_GT(times.dnabert_s, 0);
    EXPECT_GT(times.classifier, 0);
    EXPECT_GT(times.to_device, 0);
    EXPECT_GT(times.to_host, 0);
  }
}

TEST_P(EngineOnGpu, NamesTheFramesThatAreNotFinite) {
  const std::string dna(30, 'A');
  const std::vector<FrameTokens> frames{frame_tokens("MKV", dna), frame_tokens("MWV", dna),
                                        frame_tokens("KKKKKKKKW", dna), frame_tokens("L", dna)};
  for (const EngineOutputs outputs : {kAll, EngineOutputs{}}) {
    EngineSettings in_fp32 = settings({Precision::kFp32});
    in_fp32.outputs = outputs;
    const auto bad = make_engine(models_that_fail_on_w(), in_fp32, cancel);
    const BatchResult result = bad->run(request_of(0, frames));
    EXPECT_EQ(result.not_finite, (std::vector<std::uint32_t>{1, 2}));
  }
}

TEST_P(EngineOnGpu, StopsWhenCancelled) {
  const auto gpu = engine(Precision::kFp16);
  cancel.request_now(2);
  EXPECT_THROW(gpu->run(request_of(0, some_frames(3))), Error);
}

}  // namespace
}  // namespace virnucpro
