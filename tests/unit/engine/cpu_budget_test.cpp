#include "engine/cpu_budget.hpp"

#include <gtest/gtest.h>

namespace virnucpro {
namespace {

constexpr Esm2Shape kEsm2Of8M{.layers = 6, .width = 320, .heads = 20, .ffn = 1280};
constexpr Esm2Shape kEsm2Of3B{.layers = 36, .width = 2560, .heads = 40, .ffn = 10240};
constexpr DnabertShape kDnabertS{.layers = 12, .width = 768, .heads = 12, .ffn = 3072};

std::size_t budget(const Esm2Shape& esm2, std::size_t threads, EngineOutputs outputs = {}) {
  EngineModels models;
  models.esm2.shape = esm2;
  models.dnabert_s.shape = kDnabertS;
  return cpu_token_budget(models, {.threads = threads, .outputs = outputs});
}

TEST(CpuTokenBudget, IsWhatAFewSecondsCompute) {
  EXPECT_EQ(budget(kEsm2Of3B, 16), 384U);
  EXPECT_EQ(budget(kEsm2Of3B, 1024), 4096U);
  EXPECT_EQ(budget(kEsm2Of8M, 1), 768U);
  EXPECT_EQ(budget(kEsm2Of8M, 4), 3264U);
}

TEST(CpuTokenBudget, IsAtLeastAPanel) {
  EXPECT_EQ(budget(kEsm2Of3B, 1), 192U);
}

TEST(CpuTokenBudget, CountsOnlyTheModelsThatCompute) {
  const EngineOutputs dna{.scores = false, .dnabert_s = true, .esm2 = false};
  EXPECT_EQ(budget(kEsm2Of3B, 1, dna), budget({}, 1));
  const EngineOutputs protein{.scores = false, .dnabert_s = false, .esm2 = true};
  EXPECT_EQ(budget(kEsm2Of8M, 1, protein), 4096U);
}

}  // namespace
}  // namespace virnucpro
