#include "journal/unit_blob.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

constexpr const char* kFile = "run.db";

Unit sample() {
  Unit unit{.input = 2, .index = 300, .parts = {}};
  unit.parts.push_back(
      {.input = 2,
       .id = "contig\xff",
       .length = 123456789012,
       .chunks = 246913579,
       .letters_hash = 0xfedcba98,
       .skip = Skip::kNone,
       .last = false,
       .frames = {{.chunk = 0, .name = 0, .scores = {.others = 0.25F, .virus = 0.75F}},
                  {.chunk = 0, .name = 5, .failed = true},
                  {.chunk = 246913578, .name = 3, .scores = {.others = 1.0F, .virus = 0.0F}}}});
  unit.parts.push_back({.input = 2, .id = "", .length = 0, .skip = Skip::kEmpty, .frames = {}});
  unit.parts.push_back(
      {.input = 2, .id = "short", .length = 7, .skip = Skip::kTooShort, .frames = {}});
  return unit;
}

TEST(UnitBlob, ComesBack) {
  const Unit unit = sample();
  const std::string blob = encode_unit(unit);
  const Unit back = decode_unit(as_bytes(blob), 2, 300, kFile);
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
  EXPECT_EQ(part.frames[0].scores.virus, 0.75F);
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
    unit.parts[0].frames.push_back(
        {.chunk = chunk, .name = 0, .scores = {.others = 0.1F, .virus = 0.9F}});
  }
  EXPECT_LT(encode_unit(unit).size(), 4096U * 9U + 32U);
}

TEST(UnitBlob, RefusesEveryFlippedBit) {
  const std::string blob = encode_unit(sample());
  for (std::size_t byte = 0; byte < blob.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string broken = blob;
      broken[byte] = static_cast<char>(static_cast<unsigned char>(broken[byte]) ^ (1U << bit));
      EXPECT_EQ(thrown_kind([&] { decode_unit(as_bytes(broken), 2, 300, kFile); }),
                ErrorKind::kJournalDamaged);
    }
  }
}

TEST(UnitBlob, RefusesEveryTruncation) {
  const std::string blob = encode_unit(sample());
  for (std::size_t size = 0; size < blob.size(); ++size) {
    EXPECT_EQ(thrown_kind([&] { decode_unit(as_bytes(blob.substr(0, size)), 2, 300, kFile); }),
              ErrorKind::kJournalDamaged);
  }
}

TEST(UnitBlob, RefusesAnothersPlace) {
  const std::string blob = encode_unit(sample());
  for (const auto& [input, index] : {std::pair(2U, 301U), std::pair(3U, 300U)}) {
    const Error error = thrown([&blob, input = input, index = index] {
      decode_unit(as_bytes(blob), input, index, kFile);
    });
    EXPECT_THAT(error.what(), testing::HasSubstr("run.db"));
    EXPECT_THAT(error.what(), testing::HasSubstr(unit_name(input, index)));
  }
}

// A blob with a correct checksum, whatever its numbers say.
class BlobBody {
 public:
  BlobBody() {
    out_.number<std::uint8_t>(3);  // version
    varints({0, 0});               // input, index
  }
  BlobBody& varints(std::initializer_list<std::uint64_t> values) {
    for (const std::uint64_t value : values) out_.varint(value);
    return *this;
  }
  BlobBody& bytes(int count, std::uint8_t value) {
    for (int k = 0; k < count; ++k) out_.number(value);
    return *this;
  }
  BlobBody& part(std::uint64_t chunks, std::uint8_t flags, std::uint64_t frames) {
    varints({1});  // parts
    out_.text("s");
    varints({10, chunks});
    out_.number<std::uint32_t>(7);  // hash of its letters
    out_.number(flags);
    return varints({frames});
  }
  BlobBody& frame(std::uint64_t step, std::uint64_t name) {
    return varints({step << 4U | 8U | name});
  }
  std::string why() const {
    const std::string blob = seal_unit(ByteWriter(out_).bytes());
    return reason_of(ErrorKind::kJournalDamaged, [&] { decode_unit(as_bytes(blob), 0, 0, kFile); });
  }

 private:
  ByteWriter out_;
};

struct BlobCase {
  const char* name;
  BlobBody body;
  std::string why;
};
void PrintTo(const BlobCase& blob, std::ostream* out) {
  *out << blob.name;
}

class HostileBlob : public testing::TestWithParam<BlobCase> {};

TEST_P(HostileBlob, IsReadOnlyWhenItIsTrue) {
  EXPECT_EQ(GetParam().body.why(), GetParam().why);
}

std::vector<BlobCase> blob_cases() {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::string too_many = "unit 1 of input 1 names more items than its bytes can hold";
  const std::string no_chunk = "unit 1 of input 1 names a chunk that its sequence does not have";
  BlobBody overflow = BlobBody().part(kMost, 4, 18);
  for (int k = 0; k < 18; ++k) overflow.frame((1ULL << 60U) - 1U, 0);
  return {{"True", BlobBody().part(2, 4, 2).frame(0, 1).frame(1, 0), ""},
          {"PartsWithoutBytes", BlobBody().varints({kMost}), too_many},
          {"FramesWithoutBytes", BlobBody().part(2, 4, 1U << 30U), too_many},
          {"IdWithoutBytes", BlobBody().varints({1, 1U << 30U}).bytes(12, 0),
           "unit 1 of input 1 ends too early"},
          {"ChunkBeyondItsSequence", BlobBody().part(2, 4, 1).frame(2, 0), no_chunk},
          {"ChunkThatOverflows", overflow, no_chunk},
          {"FrameTwice", BlobBody().part(2, 4, 2).frame(0, 3).frame(0, 3),
           "unit 1 of input 1 has frames out of order"},
          {"FrameWithoutName", BlobBody().part(2, 4, 1).frame(0, 6),
           "unit 1 of input 1 names a frame that does not exist"},
          {"UnknownFlags", BlobBody().part(0, 7, 0), "unit 1 of input 1 has unknown flags"},
          {"ChunksInASkippedSequence", BlobBody().part(1, 5, 0),
           "unit 1 of input 1 has chunks in a skipped sequence"},
          {"NumberAbove64Bits", BlobBody().bytes(10, 0xff),
           "unit 1 of input 1 has a number of more than 64 bits"},
          {"BytesLeftOver", BlobBody().part(0, 5, 0).bytes(1, 0),
           "unit 1 of input 1 has bytes left over"}};
}
INSTANTIATE_TEST_SUITE_P(UnitBlob, HostileBlob, testing::ValuesIn(blob_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(UnitIds, CountChunksFromOne) {
  EXPECT_EQ(chunk_id("a", 0), "a_chunk_1");
  EXPECT_EQ(frame_id("a", 2, 3), "a_chunk_3R1");
}

}  // namespace
}  // namespace virnucpro
