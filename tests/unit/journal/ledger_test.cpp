#include "journal/ledger.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

FrameTokens tokens_of(std::uint8_t name) {
  return {.esm = {0, name, 2}, .dna = {1, name, 2}};
}

SequencePart part_of(std::size_t frames) {
  SequencePart part{.id = "s", .length = 500, .chunks = frames, .frames = {}};
  for (std::size_t k = 0; k < frames; ++k) part.frames.push_back({.chunk = k});
  return part;
}

constexpr double kInterval = 0.2;  // seconds

void score(Ledger& ledger, std::uint64_t number, float others, float virus) {
  ledger.set_score(number, {.others = others, .virus = virus});
  ledger.keep_early(number, {.others = others, .virus = virus});
}

bool is_known(Ledger& ledger, std::uint64_t number, const FrameTokens& tokens) {
  const std::optional<ScorePair> known = ledger.known_score(number, tokens);
  if (known) ledger.set_score(number, *known);
  return known.has_value();
}

struct Ledgers : testing::Test {
  static void wait_until_scores_are_due() {
    std::this_thread::sleep_for(std::chrono::duration<double>(kInterval * 1.1));
  }

  TempDir directory;
  const std::filesystem::path path = directory / "run.db";
  RunCounters counters;
};

TEST_F(Ledgers, WriteScoresBeforeTheirUnitIsComplete) {
  {
    Ledger ledger(Journal::create(path, {}), kInterval, counters);
    EXPECT_EQ(ledger.add(part_of(3)), 0U);
    for (std::uint8_t k = 0; k < 3; ++k) EXPECT_FALSE(is_known(ledger, k, tokens_of(k)));
    score(ledger, 2, 0.25F, 0.75F);
    wait_until_scores_are_due();
    score(ledger, 0, 1.0F, 0.0F);
  }  // as a killed run: nothing is saved
  Ledger ledger(Journal::open(path), kInterval, counters);
  EXPECT_EQ(ledger.journal().units(), 0U);
  EXPECT_EQ(ledger.add(part_of(3)), 0U);
  EXPECT_TRUE(is_known(ledger, 0, tokens_of(0)));
  EXPECT_FALSE(is_known(ledger, 1, tokens_of(1)));
  EXPECT_TRUE(is_known(ledger, 2, tokens_of(2)));
  score(ledger, 1, 0.5F, 0.5F);
  ledger.end_input(0, {.name = "a.fa", .records = 1});
  ledger.end_inputs();
  ledger.finish();
  const Unit unit = ledger.journal().read().next().value();
  EXPECT_EQ(unit.parts[0].frames[0].scores.others, 1.0F);
  EXPECT_EQ(unit.parts[0].frames[2].scores.virus, 0.75F);
}

TEST_F(Ledgers, KeepScoresBackForTheInterval) {
  {
    constexpr double kLong = 3600;
    Ledger ledger(Journal::create(path, {}), kLong, counters);
    ledger.add(part_of(3));
    for (std::uint8_t k = 0; k < 3; ++k) is_known(ledger, k, tokens_of(k));
    score(ledger, 2, 0.25F, 0.75F);
    wait_until_scores_are_due();
    score(ledger, 0, 1.0F, 0.0F);
  }
  EXPECT_TRUE(Journal::open(path).early_scores().empty());
}

TEST_F(Ledgers, DropEarlyScoresOfCompleteUnits) {
  Ledger ledger(Journal::create(path, {}), kInterval, counters);
  ledger.add(part_of(2));
  for (std::uint8_t k = 0; k < 2; ++k) is_known(ledger, k, tokens_of(k));
  wait_until_scores_are_due();
  score(ledger, 0, 1.0F, 0.0F);
  score(ledger, 1, 1.0F, 0.0F);
  ledger.end_input(0, {.name = "a.fa", .records = 1});
  SequencePart next = part_of(2);
  next.input = 1;
  ledger.add(next);
  for (std::uint8_t k = 2; k < 4; ++k) is_known(ledger, k, tokens_of(k));
  wait_until_scores_are_due();
  score(ledger, 2, 1.0F, 0.0F);
  ledger.save();
  ASSERT_EQ(ledger.journal().early_scores().size(), 1U);
  EXPECT_EQ(ledger.journal().early_scores()[0].frame, frame_hash(tokens_of(2)));
}

TEST_F(Ledgers, SaveEveryScoreOfARunThatEndsEarly) {
  Ledger ledger(Journal::create(path, {}), kInterval, counters);
  ledger.add(part_of(3));
  for (std::uint8_t k = 0; k < 3; ++k) is_known(ledger, k, tokens_of(k));
  score(ledger, 1, 1.0F, 0.0F);
  ledger.save();
  EXPECT_EQ(ledger.journal().units(), 0U);
  EXPECT_EQ(ledger.journal().early_scores().size(), 1U);
}

// The whole input was read, and the last of its parts has no score.
TEST_F(Ledgers, SayNothingOfTheEndOfAnInputThatLacksScores) {
  SequencePart second = part_of(1);
  second.id = "t";
  const InputEntry entry{.name = "a.fa", .records = 2};
  {
    Ledger ledger(Journal::create(path, {}), kInterval, counters);
    ledger.add(part_of(1));
    ledger.add(second);
    for (std::uint8_t k = 0; k < 2; ++k) is_known(ledger, k, tokens_of(k));
    score(ledger, 0, 1.0F, 0.0F);
    ledger.end_input(0, entry);
    ledger.save();
    EXPECT_EQ(ledger.journal().units(), 1U);
    EXPECT_TRUE(ledger.journal().inputs().empty());
  }
  Ledger ledger(Journal::open(path), kInterval, counters);
  EXPECT_FALSE(ledger.add(part_of(1)));
  const std::optional<std::uint64_t> number = ledger.add(second);
  ASSERT_TRUE(number);
  is_known(ledger, *number, tokens_of(1));
  score(ledger, *number, 0.5F, 0.5F);
  ledger.end_input(0, entry);
  ledger.end_inputs();
  EXPECT_EQ(ledger.journal().inputs().size(), 1U);
}

}  // namespace
}  // namespace virnucpro
