#include "journal/known_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

SequencePart part_named(const std::string& id) {
  SequencePart part;
  part.id = id;
  part.length = 400;
  part.chunks = 1;
  part.letters_hash = 7;
  return part;
}

const InputEntry kEnded{.name = "a.fa", .records = 3, .bytes = 1200, .hash = "00ff"};
const InputEntry kCut{.name = "a.fa",
                      .records = 3,
                      .bytes = 1200,
                      .hash = "00ff",
                      .failed = true,
                      .error = "input-truncated",
                      .message = "a.fa: cut",
                      .record = 4,
                      .offset = 99};

template <typename Value>
struct Change {
  const char* what;
  std::function<void(Value&)> make;
};

// Everything of a part that must not change before its scores may be used again.
const std::vector<Change<SequencePart>> kPartChanges{
    {"id", [](SequencePart& part) { part.id += "x"; }},
    {"length", [](SequencePart& part) { ++part.length; }},
    {"chunks", [](SequencePart& part) { ++part.chunks; }},
    {"letters", [](SequencePart& part) { ++part.letters_hash; }},
    {"skip", [](SequencePart& part) { part.skip = Skip::kTooShort; }},
    {"last", [](SequencePart& part) { part.last = false; }},
};

// The same of an input's end.
const std::vector<Change<InputEntry>> kEndChanges{
    {"records", [](InputEntry& entry) { ++entry.records; }},
    {"bytes", [](InputEntry& entry) { ++entry.bytes; }},
    {"hash", [](InputEntry& entry) { entry.hash = "00fe"; }},
    {"failed", [](InputEntry& entry) { entry.failed = !entry.failed; }},
    {"error", [](InputEntry& entry) { entry.error += "x"; }},
    {"record", [](InputEntry& entry) { ++entry.record; }},
    {"offset", [](InputEntry& entry) { ++entry.offset; }},
};

template <typename Value>
Value changed(Value value, const Change<Value>& change) {
  change.make(value);
  return value;
}

// Empty if what `body` does is accepted.
template <typename Body>
std::string mismatch(const Body& body) {
  return reason_of(ErrorKind::kJournalMismatch, body);
}

// An interrupted run over one input: sequences a and b in one unit, c in another.
struct KnownPartsOfAJournal : testing::Test {
  const TempDir directory;
  Journal journal = Journal::create(directory / "run.db", {});

  void SetUp() override {
    journal.append({.input = 0, .index = 0, .parts = {part_named("a"), part_named("b")}});
    journal.append({.input = 0, .index = 1, .parts = {part_named("c")}});
  }
  void end_with(const InputEntry& entry) { journal.record_input(0, entry); }
};

TEST_F(KnownPartsOfAJournal, ComeBackAsTheyWere) {
  end_with(kEnded);
  KnownParts known(journal);
  EXPECT_EQ(known.bound_parts(), (std::map<std::uint32_t, std::uint64_t>{{0, 3}}));
  for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(known.has(part_named(id))) << id;
  InputEntry moved = kEnded;
  moved.name = "elsewhere/a.fa";
  EXPECT_EQ(mismatch([&] { known.check_end(0, moved); }), "");
  EXPECT_TRUE(known.has_entry(0, moved));
}

TEST_F(KnownPartsOfAJournal, MustBeTheSameInAllThatGivesTheirScores) {
  end_with(kEnded);
  for (const auto& change : kPartChanges) {
    KnownParts known(journal);
    EXPECT_TRUE(known.has(part_named("a")));
    const SequencePart other = changed(part_named("b"), change);
    EXPECT_FALSE(is_same_part(other, part_named("b"))) << change.what;
    EXPECT_EQ(mismatch([&] { (void)known.has(other); }),
              "input 1 changed since the run began: sequence " + other.id +
                  " is not the one that was scored")
        << change.what;
  }
}

TEST(SamePart, IsOfTheSameInput) {
  SequencePart other = part_named("a");
  EXPECT_TRUE(is_same_part(other, part_named("a")));
  other.input = 1;
  EXPECT_FALSE(is_same_part(other, part_named("a")));
}

TEST_F(KnownPartsOfAJournal, MustEndAlike) {
  end_with(kEnded);
  for (const auto& change : kEndChanges) {
    KnownParts known(journal);
    for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(known.has(part_named(id)));
    const InputEntry other = changed(kEnded, change);
    EXPECT_FALSE(ended_alike(kEnded, other)) << change.what;
    EXPECT_THAT(mismatch([&] { known.check_end(0, other); }), HasSubstr("since the run began: it "))
        << change.what;
    EXPECT_FALSE(known.has_entry(0, other)) << change.what;
  }
}

TEST_F(KnownPartsOfAJournal, MustNotBeMoreNorFewerThanWereScored) {
  end_with(kEnded);
  KnownParts known(journal);
  EXPECT_TRUE(known.needs_more(0));
  for (const char* id : {"a", "b"}) EXPECT_TRUE(known.has(part_named(id)));
  EXPECT_THAT(mismatch([&] { known.check_end(0, kEnded); }),
              HasSubstr("sequence c was scored and is missing now"));
  EXPECT_TRUE(known.has(part_named("c")));
  EXPECT_THAT(mismatch([&] { (void)known.has(part_named("d")); }), HasSubstr("sequence d is new"));
}

// The run was killed while it read the input: what comes after the last part is new.
TEST_F(KnownPartsOfAJournal, MayGoOnWhereTheInputHadNotEnded) {
  KnownParts known(journal);
  EXPECT_TRUE(known.needs_more(0));
  for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(known.has(part_named(id)));
  EXPECT_FALSE(known.needs_more(0));
  EXPECT_FALSE(known.has(part_named("d")));
  EXPECT_FALSE(known.has_entry(0, kEnded));
  EXPECT_EQ(known.rest(0).unit, 2U);
  EXPECT_EQ(mismatch([&] { known.check_end(0, kEnded); }), "");
}

// An input that failed has no rows in any table: it may have been mended.
TEST_F(KnownPartsOfAJournal, OfAFailedInputMayChange) {
  end_with(kCut);
  KnownParts known(journal);
  EXPECT_TRUE(known.bound_parts().empty());
  EXPECT_FALSE(known.needs_more(0));
  EXPECT_TRUE(known.has_entry(0, kCut));
  EXPECT_TRUE(known.has(part_named("a")));
  EXPECT_TRUE(known.has_rest(0));
  EXPECT_FALSE(known.has(part_named("other")));
  EXPECT_FALSE(known.has_rest(0)) << "the rest is new from there on";
  EXPECT_FALSE(known.has(part_named("c"))) << "though the journal has one of this name";
  const KnownParts::Rest rest = known.rest(0);
  EXPECT_EQ(rest.unit, 0U);
  ASSERT_EQ(rest.parts.size(), 1U);
  EXPECT_EQ(rest.parts[0].id, "a");
  EXPECT_EQ(mismatch([&] { known.check_end(0, kEnded); }), "");
  for (const auto& change : kEndChanges) {
    EXPECT_FALSE(known.has_entry(0, changed(kCut, change))) << change.what;
  }
}

TEST_F(KnownPartsOfAJournal, OfAnotherInputBeginAnew) {
  KnownParts known(journal);
  EXPECT_TRUE(known.has(part_named("a")));
  EXPECT_FALSE(known.has_rest(1));
  EXPECT_EQ(known.rest(1).unit, 0U);
  EXPECT_TRUE(known.rest(1).parts.empty());
  EXPECT_TRUE(known.has(part_named("a"))) << "its parts are read from the first again";
}

}  // namespace
}  // namespace virnucpro
