#include "engine/canary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

namespace virnucpro {
namespace {

template <typename Token>
std::vector<Token> tokens_of(const std::vector<Token>& all,
                             const std::vector<std::uint32_t>& offsets, std::size_t frame) {
  return {all.begin() + offsets[frame], all.begin() + offsets[frame + 1]};
}

TEST(Canary, HasWholeFramesForBothModels) {
  const PackedFrames frames = canary_batch(4096).frames;
  ASSERT_EQ(frames.frames(), 4U);
  ASSERT_EQ(frames.dna_offsets.size(), 5U);
  std::set<std::uint16_t> pieces;
  for (std::size_t i = 0; i < frames.frames(); ++i) {
    const auto esm = tokens_of(frames.esm_tokens, frames.esm_offsets, i);
    const auto dna = tokens_of(frames.dna_tokens, frames.dna_offsets, i);
    EXPECT_EQ(esm.front(), 0);
    EXPECT_EQ(esm.back(), 2);
    EXPECT_EQ(dna.front(), 1);
    EXPECT_EQ(dna.back(), 2);
    EXPECT_EQ(dna.size(), (esm.size() - 2) / 2 + 3);
    pieces.insert(dna.begin() + 1, dna.end() - 1);
  }
  EXPECT_EQ(frames.esm_tokens.size(), canary_tokens());
  EXPECT_GE(canary_tokens(), frames.dna_tokens.size());
  EXPECT_EQ(std::set(frames.esm_tokens.begin(), frames.esm_tokens.end()).size(), 22U)
      << "every residue, and both ends";
  EXPECT_EQ(*pieces.begin(), 5);
  EXPECT_LT(*pieces.rbegin(), 4096);
  EXPECT_GT(*pieces.rbegin(), 3500);
  EXPECT_GT(pieces.size(), 80U);
}

// A small vocabulary has no more tokens than it has.
TEST(Canary, StaysWithinTheVocabulary) {
  for (const std::uint32_t vocabulary : {6U, 7U, 100U}) {
    const PackedFrames frames = canary_batch(vocabulary).frames;
    EXPECT_LT(std::ranges::max(frames.dna_tokens), vocabulary);
  }
  const PackedFrames none = canary_batch(0).frames;
  EXPECT_TRUE(none.dna_tokens.empty());
  EXPECT_EQ(none.dna_offsets, std::vector<std::uint32_t>(5, 0));
}

TEST(Canary, ComparesEveryBitOfAnAnswer) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  BatchResult one;
  one.scores = {0.25F, nan};
  one.dnabert_s = {1, 2};
  one.esm2 = {3};
  EXPECT_TRUE(same_answer(one, one));
  for (const auto field : {&BatchResult::scores, &BatchResult::dnabert_s, &BatchResult::esm2}) {
    BatchResult other = one;
    (other.*field)[0] = -(other.*field)[0];
    EXPECT_FALSE(same_answer(one, other));
    other = one;
    (other.*field).push_back(0);
    EXPECT_FALSE(same_answer(one, other));
    (other.*field).clear();
    EXPECT_FALSE(same_answer(one, other));
  }
}

}  // namespace
}  // namespace virnucpro
