#include "journal/frame_book.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/limits.hpp"
#include "journal/journal.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

// A part whose frames are chunks 0, 1, 2 … of the sequence "s<name>".
SequencePart part_of(std::size_t name, std::size_t frames) {
  SequencePart part;
  part.id = fmt::format("s{}", name);
  part.length = 10 * frames;
  part.chunks = frames;
  for (std::size_t i = 0; i < frames; ++i) {
    part.frames.push_back({.chunk = i, .name = static_cast<std::uint8_t>(i % 6)});
  }
  return part;
}

std::string id_in(const SequencePart& part, std::size_t frame) {
  return frame_id(part.id, part.frames[frame].chunk, part.frames[frame].name);
}

struct FrameBooks : testing::Test {
  std::vector<Unit> units() const {
    std::vector<Unit> all;
    journal.for_each_unit([&](const Unit& unit) { all.push_back(unit); });
    return all;
  }
  // Checks that the journal has all added parts, and that frame n has the scores (n, n / 2).
  void expect_journaled(const std::vector<SequencePart>& parts) const {
    std::size_t at = 0;
    float number = 0;
    for (const Unit& unit : units()) {
      for (const SequencePart& part : unit.parts) {
        ASSERT_LT(at, parts.size());
        EXPECT_EQ(part.id, parts[at].id);
        ASSERT_EQ(part.frames.size(), parts[at].frames.size());
        for (const FrameScore& frame : part.frames) {
          EXPECT_EQ(frame.scores.others, number);
          EXPECT_EQ(frame.scores.virus, number / 2);
          ++number;
        }
        ++at;
      }
    }
    EXPECT_EQ(at, parts.size());
  }
  void score(std::uint64_t number) {
    book.set_score(number,
                   {.others = static_cast<float>(number), .virus = static_cast<float>(number) / 2});
  }

  TempDir directory;
  Journal journal = Journal::create(directory / "run.db", {});
  Counter scored;
  FrameBook book{[this](const Unit& unit) { journal.append(unit); }, scored};
};

TEST_F(FrameBooks, FindFramesBesidePartsWithoutAny) {
  // With the tiny limits each part is a unit, so that some units have no frames.
  std::vector<SequencePart> parts;
  for (const std::size_t frames : {0U, 2U, 0U, 0U, 1U, 3U, 0U}) {
    parts.push_back(part_of(parts.size(), frames));
  }
  std::vector<std::string> ids;
  for (const SequencePart& part : parts) {
    EXPECT_EQ(book.add(part), ids.size());
    for (std::size_t i = 0; i < part.frames.size(); ++i) ids.push_back(id_in(part, i));
  }
  for (std::size_t number = ids.size(); number-- > 0;) {
    EXPECT_EQ(book.id_of(number), ids[number]);
    score(number);
  }
  book.close_unit();
  expect_journaled(parts);
}

TEST_F(FrameBooks, WriteUnitsInOrderWhateverTheOrderOfScores) {
  std::mt19937 random(3);
  std::vector<SequencePart> parts;
  std::vector<std::uint64_t> open;
  std::vector<std::string> ids;
  const auto score_some = [&](std::size_t rest) {
    while (open.size() > rest) {
      std::swap(open[random() % open.size()], open.back());
      EXPECT_EQ(book.id_of(open.back()), ids[open.back()]);
      score(open.back());
      open.pop_back();
    }
  };
  const std::size_t count = std::min<std::size_t>(3 * limits().frames_per_unit, 6000);
  for (std::size_t i = 0; i < std::max<std::size_t>(count, 60); ++i) {
    parts.push_back(part_of(i, random() % 4 == 0 ? 0 : random() % 5));
    std::uint64_t number = book.add(parts.back());
    for (std::size_t frame = 0; frame < parts.back().frames.size(); ++frame) {
      ids.push_back(id_in(parts.back(), frame));
      open.push_back(number++);
    }
    if (random() % 50 == 0) score_some(random() % 100);
  }
  score_some(0);
  book.close_unit();
  expect_journaled(parts);
  EXPECT_GT(units().size(), 1U);
}

TEST_F(FrameBooks, CloseAUnitAtItsMostFrames) {
  const std::size_t most = limits().frames_per_unit;
  book.add(part_of(0, most));
  book.add(part_of(1, 1));
  EXPECT_EQ(journal.units(), 0U);
  score(most);  // of the later unit, which waits for the first
  book.close_unit();
  EXPECT_EQ(journal.units(), 0U);
  for (std::size_t number = 0; number < most; ++number) score(number);
  EXPECT_EQ(journal.units(), 2U);
  expect_journaled({part_of(0, most), part_of(1, 1)});
}

TEST_F(FrameBooks, CloseAUnitAtItsMostSequences) {
  book.close_unit();
  const std::size_t most = limits().sequences_per_unit;
  for (std::size_t i = 0; i < most - 1; ++i) book.add(part_of(i, 0));
  EXPECT_EQ(journal.units(), 0U);
  book.add(part_of(most - 1, 0));
  EXPECT_EQ(journal.units(), 1U);
  book.close_unit();
  EXPECT_EQ(journal.units(), 1U);
}

// For any number of sequences, as memory holds a unit as a whole.
TEST_F(FrameBooks, CloseAUnitWhoseIdsAreLong) {
  SequencePart part;
  part.id.assign(1U << 20U, 'x');
  for (int i = 0; i < 16; ++i) book.add(part);
  EXPECT_GE(journal.units(), 1U);
}

TEST_F(FrameBooks, SaveThePartsThatHaveTheirScores) {
  const std::vector<SequencePart> parts{part_of(0, 2), part_of(1, 0), part_of(2, 2), part_of(3, 1)};
  for (const SequencePart& part : parts) book.add(part);
  for (const std::uint64_t number : {0U, 1U, 3U, 4U}) score(number);
  book.save();
  expect_journaled({parts[0], parts[1]});
}

TEST_F(FrameBooks, SaveNothingWithoutAScore) {
  book.add(part_of(0, 1));
  book.save();
  EXPECT_THAT(units(), testing::IsEmpty());
}

TEST_F(FrameBooks, KeepFramesThatFailed) {
  book.add(part_of(0, 2));
  book.give_up(1);
  score(0);
  book.close_unit();
  const std::vector<Unit> all = units();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].parts[0].frames[0].failed);
  EXPECT_TRUE(all[0].parts[0].frames[1].failed);
}

TEST(FrameBookWhoseSinkFails, GivesNoUnitTwice) {
  std::size_t given = 0;
  Counter scored;
  FrameBook book(
      [&given](const Unit&) {
        ++given;
        throw Error(ErrorKind::kOutputWrite, "full");
      },
      scored);
  EXPECT_EQ(thrown_kind([&book] {
              book.add(part_of(0, 0));
              book.close_unit();
            }),
            ErrorKind::kOutputWrite);
  book.save();
  EXPECT_EQ(given, 1U);
}

// Counted even before its unit is full.
TEST_F(FrameBooks, CountASequenceWithItsLastScore) {
  book.add(part_of(0, 2));
  book.add(part_of(1, 0));
  EXPECT_EQ(scored.get(), 1U);  // the sequence without frames
  book.set_score(1, {.others = 0.5F, .virus = 0.5F});
  EXPECT_EQ(scored.get(), 1U);
  book.give_up(0);
  EXPECT_EQ(scored.get(), 2U);
  SequencePart beginning = part_of(2, 0);
  beginning.last = false;
  book.add(std::move(beginning));
  EXPECT_EQ(scored.get(), 2U);
}

TEST(FrameBookOfAResumedRun, GoesOnCounting) {
  std::vector<std::uint64_t> given;
  Counter scored;
  FrameBook book([&given](const Unit& unit) { given.push_back(unit.index); }, scored);
  book.begin_input(7);
  book.add(part_of(0, 0));
  book.close_unit();
  EXPECT_THAT(given, testing::ElementsAre(7));
}

TEST_F(FrameBooks, CloseAUnitWhereAnotherInputBegins) {
  SequencePart other = part_of(1, 0);
  other.input = 1;
  book.add(part_of(0, 1));
  EXPECT_EQ(book.next_unit(), 1U);
  book.begin_input(0);
  book.add(other);
  EXPECT_EQ(book.begun(), 2U);
  EXPECT_EQ(journal.units(), 0U);  // the first still waits for its score
  EXPECT_EQ(book.first_waiting(), 0U);
  score(0);
  EXPECT_EQ(book.first_waiting(), 1U);
  book.close_unit();
  const std::vector<Unit> all = units();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].input, 0U);
  EXPECT_EQ(all[1].input, 1U);
  EXPECT_EQ(all[1].index, 0U);
}

TEST_F(FrameBooks, TakePartsThatHaveTheirScores) {
  SequencePart scored_part = part_of(0, 2);
  scored_part.frames[1].scores.virus = 0.5F;
  book.add_scored(scored_part);
  EXPECT_EQ(book.add(part_of(1, 1)), 2U);
  EXPECT_EQ(scored.get(), 1U);
  score(2);
  book.close_unit();
  ASSERT_FALSE(units().empty());
  EXPECT_EQ(units()[0].parts[0].frames[1].scores.virus, 0.5F);
}

}  // namespace
}  // namespace virnucpro
