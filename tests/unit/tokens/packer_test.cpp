#include "tokens/packer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/error.hpp"
#include "unit/length.hpp"

namespace virnucpro {
namespace {

using testing::ElementsAre;

FrameTokens frame(std::size_t esm, std::size_t dna, std::uint16_t content = 7) {
  return {.esm = std::vector<std::uint8_t>(esm, 5),
          .dna = std::vector<std::uint16_t>(dna, content)};
}

// All batches of a stream, taken in the same way as in a run.
std::vector<PackedBatch> pack(const PackSettings& settings,
                              const std::vector<FrameTokens>& frames) {
  Packer packer(settings);
  std::vector<PackedBatch> batches;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    packer.add(frames[i], i);
    while (auto batch = packer.next_batch()) batches.push_back(std::move(*batch));
  }
  while (auto batch = packer.drain()) batches.push_back(std::move(*batch));
  return batches;
}

std::vector<FrameTokens> random_frames(std::size_t count, std::size_t longest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<FrameTokens> frames;
  for (std::size_t i = 0; i < count; ++i) {
    frames.push_back(frame(3 + random() % longest, 3 + random() % longest,
                           static_cast<std::uint16_t>(random() % 4)));
  }
  return frames;
}

template <typename T>
std::vector<T> part(const std::vector<T>& tokens, const std::vector<std::uint32_t>& offsets,
                    std::size_t i) {
  return {tokens.begin() + offsets[i], tokens.begin() + offsets[i + 1]};
}

void expect_complete(const std::vector<PackedBatch>& batches, const PackSettings& settings,
                     const std::vector<FrameTokens>& frames) {
  std::set<std::uint64_t> seen;
  for (const PackedBatch& batch : batches) {
    const PackedFrames& packed = batch.frames;
    ASSERT_EQ(batch.occurrences.size(), packed.frames());
    ASSERT_EQ(packed.dna_offsets.size(), packed.esm_offsets.size());
    EXPECT_LE(packed.frames(), settings.frames_per_batch);
    if (packed.frames() > 1) {
      EXPECT_LE(packed.esm_tokens.size(), settings.token_budget);
      EXPECT_LE(packed.dna_tokens.size(), settings.token_budget);
    }
    for (std::size_t i = 0; i < packed.frames(); ++i) {
      for (const std::uint64_t number : batch.occurrences[i]) {
        EXPECT_TRUE(seen.insert(number).second);
        EXPECT_EQ(part(packed.esm_tokens, packed.esm_offsets, i), frames[number].esm);
        EXPECT_EQ(part(packed.dna_tokens, packed.dna_offsets, i), frames[number].dna);
      }
    }
  }
  EXPECT_EQ(seen.size(), frames.size());
}

// The share of the budget that all batches except the last use, by the fuller model.
double use(const std::vector<PackedBatch>& batches, std::size_t budget) {
  std::size_t tokens = 0;
  for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
    tokens += std::max(batches[i].frames.esm_tokens.size(), batches[i].frames.dna_tokens.size());
  }
  return static_cast<double>(tokens) / static_cast<double>(budget * (batches.size() - 1));
}

// It would pack every frame by itself, and nobody would notice but by the time.
TEST(Packer, NeedsABudget) {
  EXPECT_THROW(Packer({.token_budget = 0}), Error);
}

TEST(Packer, GivesEveryFrameOnceWithItsTokens) {
  for (const std::size_t window : {1U, 2U, 3U, 64U}) {
    for (const std::size_t per_batch : {1U, 2U, 1000U}) {
      for (const bool deduplicate : {false, true}) {
        const PackSettings settings{.token_budget = 50,
                                    .frames_in_window = window,
                                    .frames_per_batch = per_batch,
                                    .deduplicate = deduplicate};
        const auto frames = random_frames(300, 60, 1);
        expect_complete(pack(settings, frames), settings, frames);
      }
    }
  }
}

TEST(Packer, UsesTheBudgetOnFramesOfUsualLengths) {
  std::mt19937 random(2);
  // Frames of 300 bases, of 500, of both, and of 500 with the short ends of sequences.
  const auto length = [&](int kind) -> std::size_t {
    const std::size_t by_300 = random() % 3 == 0 ? 102 : 101;
    const std::size_t by_500 = 168;
    if (kind == 0) return by_300;
    if (kind == 1) return by_500;
    if (kind == 2) return random() % 2 == 0 ? by_300 : by_500;
    return random() % 5 == 0 ? 3 + random() % 165 : by_500;
  };
  const int count = test_length() == TestLength::kCheck ? 6000 : 20'000;
  for (const std::size_t budget : {4096U, 32768U}) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<FrameTokens> frames;
      for (int i = 0; i < count; ++i) {
        const std::size_t esm = length(kind);
        frames.push_back(frame(esm, esm * 6 / 10));
      }
      const PackSettings settings{.token_budget = budget, .deduplicate = false};
      EXPECT_GE(use(pack(settings, frames), budget), 0.97) << budget << " kind " << kind;
    }
  }
}

TEST(Packer, UsesTheBudgetOfTheModelWithMoreTokens) {
  std::mt19937 random(3);
  std::vector<FrameTokens> frames;
  for (int i = 0; i < 5000; ++i) frames.push_back(frame(20 + random() % 80, 50 + random() % 300));
  const PackSettings settings{.token_budget = 4096, .deduplicate = false};
  const auto batches = pack(settings, frames);
  expect_complete(batches, settings, frames);
  EXPECT_GE(use(batches, 4096), 0.97);
}

TEST(Packer, LooksPastItsWindowWhereFramesAreTooShortToFillABatch) {
  const std::vector<FrameTokens> frames(4000, frame(8, 5));
  const PackSettings settings{.token_budget = 4096, .frames_in_window = 16, .deduplicate = false};
  EXPECT_GE(use(pack(settings, frames), 4096), 0.97);
}

TEST(Packer, TheOldestFrameIsAlwaysInTheNextBatch) {
  const auto frames = random_frames(500, 40, 4);
  std::set<std::uint64_t> waiting;
  Packer packer({.token_budget = 64, .frames_in_window = 32, .deduplicate = false});
  for (std::size_t i = 0; i < frames.size(); ++i) {
    packer.add(frames[i], i);
    waiting.insert(i);
    while (const auto batch = packer.next_batch()) {
      EXPECT_EQ(batch->occurrences.front().front(), *waiting.begin());
      for (const auto& numbers : batch->occurrences) waiting.erase(numbers.front());
    }
  }
}

TEST(Packer, ALongerFrameIsABatchOfItsOwn) {
  const PackSettings settings{.token_budget = 10, .frames_in_window = 3, .deduplicate = false};
  for (const FrameTokens& longer : {frame(11, 2), frame(2, 11), frame(30, 30)}) {
    const auto batches = pack(settings, {frame(5, 5), longer, frame(5, 5)});
    ASSERT_EQ(batches.size(), 2U);
    EXPECT_THAT(batches[0].occurrences, ElementsAre(ElementsAre(0), ElementsAre(2)));
    EXPECT_THAT(batches[1].occurrences, ElementsAre(ElementsAre(1)));
    const auto first = pack(settings, {longer, frame(2, 2)});
    ASSERT_EQ(first.size(), 2U);
    EXPECT_THAT(first[0].occurrences, ElementsAre(ElementsAre(0)));
  }
}

TEST(Packer, AFullBatchIsExactlyTheBudget) {
  const auto batches = pack({.token_budget = 10, .deduplicate = false},
                            {frame(5, 3), frame(4, 3), frame(5, 3), frame(6, 3)});
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_THAT(batches[0].occurrences, ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(batches[1].occurrences, ElementsAre(ElementsAre(2)));
  const auto filled =
      pack({.token_budget = 10, .deduplicate = false}, {frame(5, 3), frame(6, 3), frame(5, 3)});
  ASSERT_EQ(filled.size(), 2U);
  EXPECT_THAT(filled[0].occurrences, ElementsAre(ElementsAre(0), ElementsAre(2)));
}

std::vector<std::vector<std::uint64_t>> numbers_of(const std::vector<PackedBatch>& batches) {
  std::vector<std::vector<std::uint64_t>> numbers;
  for (const PackedBatch& batch : batches) {
    auto& of_batch = numbers.emplace_back();
    for (const auto& occurrences : batch.occurrences) of_batch.push_back(occurrences.front());
  }
  return numbers;
}

// The oldest as long as they fit, then the longest that fit; of equal ones the oldest.
TEST(Packer, FillsABatchInItsOrder) {
  const PackSettings settings{.token_budget = 10, .deduplicate = false};
  EXPECT_THAT(numbers_of(pack(settings, {frame(3, 1), frame(3, 1), frame(9, 1), frame(2, 1),
                                         frame(4, 1), frame(1, 1)})),
              ElementsAre(ElementsAre(0, 1, 4), ElementsAre(2, 5), ElementsAre(3)));
  EXPECT_THAT(
      numbers_of(pack(settings, {frame(5, 1), frame(9, 1), frame(2, 1), frame(2, 1), frame(1, 1)})),
      ElementsAre(ElementsAre(0, 2, 3, 4), ElementsAre(1)));
  // The model with less room decides what is longest.
  EXPECT_THAT(
      numbers_of(pack(settings, {frame(1, 7), frame(9, 9), frame(5, 1), frame(3, 3), frame(4, 2)})),
      ElementsAre(ElementsAre(0, 3), ElementsAre(1), ElementsAre(2, 4)));
}

TEST(Packer, WaitsForAFullWindow) {
  Packer packer({.token_budget = 10, .frames_in_window = 3, .deduplicate = false});
  packer.add(frame(6, 1), 0);
  packer.add(frame(6, 1), 1);
  EXPECT_FALSE(packer.next_batch()) << "two frames of three";
  packer.add(frame(1, 1), 2);
  EXPECT_TRUE(packer.next_batch());
  for (const std::size_t last : {2U, 3U}) {
    Packer short_ones({.token_budget = 10, .frames_in_window = 2, .deduplicate = false});
    short_ones.add(frame(7, 1), 0);
    short_ones.add(frame(last, 1), 1);
    EXPECT_EQ(short_ones.next_batch().has_value(), last == 3) << "enough for a batch";
  }
  Packer by_dna({.token_budget = 10, .frames_in_window = 2, .deduplicate = false});
  by_dna.add(frame(1, 7), 0);
  by_dna.add(frame(1, 3), 1);
  EXPECT_TRUE(by_dna.next_batch());
  Packer by_frames({.token_budget = 1000, .frames_in_window = 2, .frames_per_batch = 2});
  by_frames.add(frame(1, 1), 0);
  EXPECT_FALSE(by_frames.next_batch());
  by_frames.add(frame(2, 1), 1);
  const auto batch = by_frames.next_batch();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->frames.frames(), 2U);
  EXPECT_FALSE(by_frames.next_batch()) << "nothing is left";
}

TEST(Packer, HoldsTokensOf64BudgetsUnlessToldOtherwise) {
  Packer packer({.token_budget = 10, .frames_in_window = 1000, .deduplicate = false});
  for (std::uint64_t i = 0; i < 127; ++i) {
    packer.add(frame(5, 1), i);
    EXPECT_FALSE(packer.next_batch()) << i;
  }
  packer.add(frame(5, 1), 127);
  EXPECT_TRUE(packer.next_batch());
  EXPECT_FALSE(packer.next_batch());
}

TEST(Packer, EqualFramesOfTheWindowAreComputedOnce) {
  const std::vector<FrameTokens> frames{frame(5, 4, 1), frame(5, 4, 2), frame(5, 4, 1),
                                        frame(6, 4, 1), frame(5, 4, 1)};
  const auto batches = pack({.token_budget = 100}, frames);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_THAT(batches[0].occurrences,
              ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1), ElementsAre(3)));
  const auto apart = pack({.token_budget = 100, .deduplicate = false}, frames);
  EXPECT_EQ(apart[0].frames.frames(), 5U);
}

TEST(Packer, RepeatsOfOneFrameFillTheWindowToo) {
  Packer packer({.token_budget = 10, .tokens_in_window = 100});
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    packer.add(frame(5, 5), i);
    if (const auto batch = packer.next_batch()) most = std::max(most, batch->occurrences[0].size());
  }
  EXPECT_EQ(most, 96U);
}

TEST(Packer, TokensBoundTheWindow) {
  Packer packer({.token_budget = 10, .frames_in_window = 1000, .tokens_in_window = 40});
  std::size_t held = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    packer.add(frame(7, 3, static_cast<std::uint16_t>(i)), i);
    held += 7;
    while (const auto batch = packer.next_batch()) held -= batch->frames.esm_tokens.size();
    EXPECT_LT(held, 40U);
  }
}

TEST(Packer, AWindowOfOneGivesFramesAsTheyCome) {
  const PackSettings settings{.token_budget = 100, .frames_in_window = 1, .frames_per_batch = 1};
  Packer packer(settings);
  for (std::uint64_t i = 0; i < 5; ++i) {
    packer.add(frame(5, 5), i);
    const auto batch = packer.next_batch();
    ASSERT_TRUE(batch);
    EXPECT_THAT(batch->occurrences, ElementsAre(ElementsAre(i)));
    EXPECT_FALSE(packer.next_batch());
  }
  EXPECT_FALSE(packer.drain());
}

TEST(Packer, IsAFunctionOfItsInput) {
  const auto frames = random_frames(1000, 50, 5);
  const auto once = pack({.token_budget = 128, .frames_in_window = 50}, frames);
  const auto again = pack({.token_budget = 128, .frames_in_window = 50}, frames);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].occurrences, again[i].occurrences);
  }
}

}  // namespace
}  // namespace virnucpro
