#include "journal/unit_blob.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/bytes.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr const char* kFile = "run.db";

Unit sample() {
  Unit unit{.index = 300, .parts = {}};
  unit.parts.push_back(
      {.input = 2,
       .id = "contig\xff",
       .length = 123456789012,
       .chunks = 246913579,
       .letters_hash = 0xfedcba98,
       .skip = Skip::kNone,
       .last = false,
       .frames = {{.chunk = 0, .name = 0, .others = 0.25F, .virus = 0.75F},
                  {.chunk = 0, .name = 5, .failed = true},
                  {.chunk = 246913578, .name = 3, .others = 1.0F, .virus = 0.0F}}});
  unit.parts.push_back({.input = 2, .id = "", .length = 0, .skip = Skip::kEmpty, .frames = {}});
  unit.parts.push_back(
      {.input = 3, .id = "short", .length = 7, .skip = Skip::kTooShort, .frames = {}});
  return unit;
}

TEST(UnitBlob, ComesBack) {
  const Unit unit = sample();
  const std::string blob = encode_unit(unit);
  const Unit back = decode_unit(as_bytes(blob), 300, kFile);
  EXPECT_EQ(encode_unit(back), blob);
  ASSERT_EQ(back.parts.size(), 3U);
  const SequencePart& part = back.parts[0];
  EXPECT_EQ(part.input, 2U);
  EXPECT_EQ(part.id, "contig\xff");
  EXPECT_EQ(part.length, 123456789012U);
  EXPECT_EQ(part.chunks, 246913579U);
  EXPECT_EQ(part.letters_hash, 0xfedcba98U);
  EXPECT_FALSE(part.last);
  ASSERT_EQ(part.frames.size(), 3U);
  EXPECT_EQ(part.frames[0].virus, 0.75F);
  EXPECT_TRUE(part.frames[1].failed);
  EXPECT_EQ(part.frames[2].chunk, 246913578U);
  EXPECT_EQ(part.frames[2].name, 3U);
  EXPECT_EQ(back.parts[1].skip, Skip::kEmpty);
  EXPECT_TRUE(back.parts[2].last);
}

TEST(UnitBlob, TakesNineBytesAFrame) {
  Unit unit;
  unit.parts.resize(1);
  unit.parts[0].chunks = 4096;
  for (std::uint64_t chunk = 0; chunk < 4096; ++chunk) {
    unit.parts[0].frames.push_back({.chunk = chunk, .name = 0, .others = 0.1F, .virus = 0.9F});
  }
  EXPECT_LT(encode_unit(unit).size(), 4096U * 9U + 32U);
}

TEST(UnitBlob, RefusesEveryFlippedBit) {
  const std::string blob = encode_unit(sample());
  for (std::size_t byte = 0; byte < blob.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string broken = blob;
      broken[byte] = static_cast<char>(static_cast<unsigned char>(broken[byte]) ^ (1U << bit));
      EXPECT_EQ(thrown_kind([&] { decode_unit(as_bytes(broken), 300, kFile); }),
                ErrorKind::kJournalDamaged);
    }
  }
}

TEST(UnitBlob, RefusesEveryTruncation) {
  const std::string blob = encode_unit(sample());
  for (std::size_t size = 0; size < blob.size(); ++size) {
    EXPECT_EQ(thrown_kind([&] { decode_unit(as_bytes(blob.substr(0, size)), 300, kFile); }),
              ErrorKind::kJournalDamaged);
  }
}

TEST(UnitBlob, RefusesAnothersPlace) {
  const std::string blob = encode_unit(sample());
  try {
    decode_unit(as_bytes(blob), 301, kFile);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("run.db"));
    EXPECT_THAT(error.what(), testing::HasSubstr("unit 301"));
  }
}

// Blobs with a correct checksum but false numbers.
class HostileBlob : public testing::Test {
 protected:
  HostileBlob() {
    out_.number<std::uint8_t>(2);  // version
    out_.varint(0);                // index
  }
  void part(std::uint64_t chunks, std::uint8_t flags, std::uint64_t frames) {
    out_.varint(1);  // parts
    out_.varint(0);  // input
    out_.text("s");
    out_.varint(10);
    out_.varint(chunks);
    out_.number<std::uint32_t>(7);  // hash of its letters
    out_.number(flags);
    out_.varint(frames);
  }
  void frame(std::uint64_t step, std::uint64_t name) { out_.varint(step << 4U | 8U | name); }
  std::string why() {
    const std::string blob = seal_unit(out_.bytes());
    try {
      decode_unit(as_bytes(blob), 0, kFile);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kJournalDamaged);
      return error.detail();
    }
    return "";
  }
  ByteWriter out_;
};

TEST_F(HostileBlob, IsReadWhenItIsTrue) {
  part(2, 4, 2);
  frame(0, 1);
  frame(1, 0);
  EXPECT_EQ(why(), "");
}
TEST_F(HostileBlob, PartsWithoutBytes) {
  out_.varint(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(why(), "unit 0: announces more items than it has bytes for");
}
TEST_F(HostileBlob, FramesWithoutBytes) {
  part(2, 4, 1U << 30U);
  EXPECT_EQ(why(), "unit 0: announces more items than it has bytes for");
}
TEST_F(HostileBlob, IdWithoutBytes) {
  out_.varint(1);
  out_.varint(0);
  out_.varint(1U << 30U);
  for (int k = 0; k < 12; ++k) out_.number<std::uint8_t>(0);
  EXPECT_EQ(why(), "unit 0: ends too early");
}
TEST_F(HostileBlob, InputBeyondAll) {
  out_.varint(1);
  out_.varint(1ULL << 32U);
  for (int k = 0; k < 12; ++k) out_.number<std::uint8_t>(0);
  EXPECT_EQ(why(), "unit 0: names an input that does not exist");
}
TEST_F(HostileBlob, ChunkBeyondItsSequence) {
  part(2, 4, 1);
  frame(2, 0);
  EXPECT_EQ(why(), "unit 0: names a chunk that its sequence does not have");
}
TEST_F(HostileBlob, ChunkThatOverflows) {
  part(std::numeric_limits<std::uint64_t>::max(), 4, 18);
  for (int k = 0; k < 18; ++k) frame((1ULL << 60U) - 1U, 0);
  EXPECT_EQ(why(), "unit 0: names a chunk that its sequence does not have");
}
TEST_F(HostileBlob, FrameTwice) {
  part(2, 4, 2);
  frame(0, 3);
  frame(0, 3);
  EXPECT_EQ(why(), "unit 0: has frames out of order");
}
TEST_F(HostileBlob, FrameWithoutName) {
  part(2, 4, 1);
  frame(0, 6);
  EXPECT_EQ(why(), "unit 0: names a frame that does not exist");
}
TEST_F(HostileBlob, UnknownFlags) {
  part(0, 7, 0);
  EXPECT_EQ(why(), "unit 0: holds flags that are not known");
}
TEST_F(HostileBlob, ChunksInASkippedSequence) {
  part(1, 5, 0);
  EXPECT_EQ(why(), "unit 0: has chunks in a skipped sequence");
}
TEST_F(HostileBlob, NumberAbove64Bits) {
  for (int k = 0; k < 10; ++k) out_.number<std::uint8_t>(0xff);
  EXPECT_EQ(why(), "unit 0: holds a number above 64 bits");
}
TEST_F(HostileBlob, BytesLeftOver) {
  part(0, 5, 0);
  out_.number<std::uint8_t>(0);
  EXPECT_EQ(why(), "unit 0: has bytes left over");
}

TEST(UnitIds, CountChunksFromOne) {
  EXPECT_EQ(chunk_id("a", 0), "a_chunk_1");
  EXPECT_EQ(frame_id("a", 2, 3), "a_chunk_3R1");
}

}  // namespace
}  // namespace virnucpro
