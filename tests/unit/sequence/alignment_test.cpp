#include "sequence/alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "sequence/bam_reader.hpp"
#include "sequence/sam_reader.hpp"
#include "unit/sequence/alignment_file.hpp"
#include "unit/sequence/memory_source.hpp"
#include "unit/sequence/parsed_alignments.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::string_view kHeader = "@HD\tVN:1.6\n@SQ\tSN:r\tLN:1000\n";

// A line of SAM: the fields that matter here, and fillers.
std::string line(std::string_view name, unsigned flags, std::string_view letters,
                 std::string_view tags = "") {
  const std::string qualities(letters == "*" ? "*" : std::string(letters.size(), 'I'));
  const std::string place = (flags & 4U) != 0 ? "*\t0\t0\t*" : "r\t10\t60\t*";
  return std::string(name) + "\t" + std::to_string(flags) + "\t" + place + "\t*\t0\t0\t" +
         std::string(letters) + "\t" + qualities + std::string(tags) + "\n";
}

Parsed parse_sam(std::string text, std::size_t block = 1U << 20U) {
  MemorySource source(std::move(text), block);
  SamReader reader(source, "file");
  return parse_all(reader);
}

Parsed parse_bam(std::string text, std::size_t block = 1U << 20U) {
  MemorySource source(std::move(text), block);
  BamReader reader(source, "file");
  return parse_all(reader);
}

// Reads the lines as both formats, in blocks of several sizes.
std::vector<std::string> rows(const std::string& lines) {
  const std::string sam = std::string(kHeader) + lines;
  const Parsed parsed = parse_sam(sam);
  EXPECT_FALSE(parsed.error) << parsed.error->what();
  for (const std::size_t block : {1U, 7U, 1U << 20U}) {
    EXPECT_EQ(parse_sam(sam, block).rows, parsed.rows);
    EXPECT_EQ(parse_bam(bam_text(sam), block).rows, parsed.rows);
  }
  return parsed.rows;
}

void expect_malformed(const Parsed& parsed, std::uint64_t record, std::uint64_t offset,
                      const std::string& detail) {
  ASSERT_TRUE(parsed.error);
  EXPECT_EQ(parsed.error->kind(), ErrorKind::kInputMalformed);
  EXPECT_EQ(parsed.error->place().file, "file");
  EXPECT_EQ(parsed.error->place().record, record);
  EXPECT_EQ(parsed.error->place().offset, offset);
  EXPECT_THAT(parsed.error->detail(), HasSubstr(detail));
}

TEST(Alignment, FormatsByTheirStart) {
  EXPECT_EQ(alignment_format("BAM\1\0\0"), AlignmentFormat::kBam);
  EXPECT_EQ(alignment_format("CRAM\3\1"), AlignmentFormat::kCram);
  for (const char* start : {"@HD\tVN", "@SQ\tSN", "@RG\tID", "@PG\tID", "@CO\tx"}) {
    EXPECT_EQ(alignment_format(start), AlignmentFormat::kSam);
  }
  for (const char* start : {"", "BAM", "@HD VN", "@XX\tx", ">x\nAC", "@read"}) {
    EXPECT_FALSE(alignment_format(start)) << start;
  }
}

TEST(Alignment, ReverseComplementOfEveryCode) {
  std::string letters = "ACGTURYSWKMBDHVNacgturyswkmbdhvn=.-";
  reverse_complement(letters);
  EXPECT_EQ(letters, "-.=nbdhvkmwsryaacgtNBDHVKMWSRYAACGT");
}

TEST(Alignment, LettersAsTheyCameFromTheSequencer) {
  EXPECT_THAT(
      rows(line("a", 0, "ACGTN") + line("b", 16, "AACGT") + line("c", 4, "=ACMGRSVTWYHKDBN") +
           line("d", 16, "=ACMGRSVTWYHKDBN") + line("e", 16, "G")),
      ElementsAre("1 a=ACGTN", "2 b=ACGTT", "3 c==ACMGRSVTWYHKDBN",
                  "4 d=NVHMDRWABSYCKGT=", "5 e=C"));
}

TEST(Alignment, MatesByTheirFlags) {
  EXPECT_THAT(
      rows(line("a", 4 + 1 + 64, "A") + line("a", 4 + 1 + 128, "C") + line("b", 4 + 64, "A") +
           line("c", 4 + 1, "A") + line("d", 4 + 1 + 64 + 128, "A") + line("e/1", 4 + 1 + 64, "A") +
           line("f/1", 4 + 1 + 128, "A")),
      ElementsAre("1 a/1=A", "2 a/2=C", "3 b=A", "4 c=A", "5 d=A", "6 e/1=A", "7 f/1/2=A"));
}

TEST(Alignment, SecondaryAndSupplementaryOnesAreSkippedAndCounted) {
  const std::string lines = line("a", 0, "AC") + line("a", 256, "AC") + line("a", 2048, "AC") +
                            line("a", 256 + 2048, "*") + line("b", 1024 + 512, "G");
  EXPECT_THAT(rows(lines), ElementsAre("1 a=AC", "5 b=G"));
  const std::string sam = std::string(kHeader) + lines;
  for (const Parsed& parsed : {parse_sam(sam), parse_bam(bam_text(sam))}) {
    EXPECT_EQ(parsed.skipped.secondary, 2U);
    EXPECT_EQ(parsed.skipped.supplementary, 1U);
  }
}

TEST(Alignment, ARecordWithoutSequenceIsAnEmptyOne) {
  EXPECT_THAT(rows(line("a", 4, "*") + line("b", 4, "A")), ElementsAre("1 a=", "2 b=A"));
}

TEST(Alignment, NoRecords) {
  EXPECT_THAT(rows(""), IsEmpty());
}

TEST(Alignment, TagsAndCigarsAreReadOver) {
  const std::string tags = "\tRG:Z:x\tZZ:Z:" + std::string(300'000, 'z') + "\tBB:B:c,1,2";
  EXPECT_THAT(rows(line("a", 0, "ACG", tags) + line("b", 16, "ACG")),
              ElementsAre("1 a=ACG", "2 b=CGT"));
}

TEST(Alignment, LongReads) {
  std::string letters;
  for (std::size_t i = 0; i < 300'001; ++i) letters += "ACGT"[i * i % 7 % 4];
  EXPECT_THAT(rows(line("a", 0, letters)), ElementsAre("1 a=" + letters));
}

TEST(Alignment, HashIsOfTheText) {
  const std::string sam = std::string(kHeader) + line("a", 0, "ACG");
  EXPECT_EQ(parse_sam(sam).hash, content_hash(sam));
  EXPECT_EQ(parse_bam(bam_text(sam)).hash, content_hash(bam_text(sam)));
}

// Only the compression can notice a cut between records; in plain SAM nothing can.
void expect_cuts_found(const std::string& text, const std::function<Parsed(std::string)>& read,
                       const std::vector<std::size_t>& whole) {
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Parsed parsed = read(text.substr(0, size));
    if (std::find(whole.begin(), whole.end(), size) != whole.end()) {
      EXPECT_FALSE(parsed.error) << size;
      continue;
    }
    ASSERT_TRUE(parsed.error) << size;
    EXPECT_EQ(parsed.error->kind(), ErrorKind::kInputTruncated) << size;
    EXPECT_EQ(parsed.error->place().record, parsed.rows.size() + 1);
    EXPECT_EQ(parsed.error->place().offset, size);
  }
}

TEST(Bam, EveryCut) {
  const std::string header = bam_text(kHeader);
  const std::string one = bam_text(std::string(kHeader) + line("a", 0, "ACGT", "\tNM:i:0"));
  const std::string two = bam_text(std::string(kHeader) + line("a", 0, "ACGT", "\tNM:i:0") +
                                   line("b", 16, "GGT", "\tNM:i:0"));
  ASSERT_TRUE(two.starts_with(one));
  expect_cuts_found(two, [](std::string text) { return parse_bam(std::move(text)); },
                    {header.size(), one.size()});
}

TEST(Sam, EveryCut) {
  const std::string first(kHeader.substr(0, kHeader.find('\n') + 1));
  const std::string one = std::string(kHeader) + line("a", 0, "ACGT", "\tNM:i:0");
  const std::string two = one + line("b", 16, "GGT", "\tNM:i:0");
  expect_cuts_found(two, [](std::string text) { return parse_sam(std::move(text)); },
                    {0, first.size(), kHeader.size(), one.size()});
}

class HostileBam : public ::testing::Test {
 protected:
  HostileBam()
      : header_(bam_text(kHeader).size()),
        text_(bam_text(std::string(kHeader) + line("abc", 0, "ACGT"))) {}

  // Replaces bytes of the record at `offset` (after its size).
  Parsed with(std::size_t offset, std::string_view bytes) const {
    std::string text = text_;
    text.replace(header_ + 4 + offset, bytes.size(), bytes);
    return parse_bam(text);
  }
  Parsed with_size(std::string_view bytes) const {
    std::string text = text_;
    text.replace(header_, 4, bytes);
    return parse_bam(text);
  }

  std::size_t header_;
  std::string text_;
};

TEST_F(HostileBam, SizesThatCannotBe) {
  expect_malformed(with_size("\0\0\0\0"sv), 1, header_, "the record's size is 0 bytes");
  expect_malformed(with_size("\x1f\0\0\0"sv), 1, header_, "size is 31 bytes");
  expect_malformed(with_size("\xff\xff\xff\xff"sv), 1, header_, "size is 4294967295 bytes");
  EXPECT_EQ(with_size("\xff\xff\xff\x7f"sv).error->kind(), ErrorKind::kInputTruncated);
  for (const std::string_view letters :
       {"\xff\xff\xff\xff"sv, "\xff\xff\xff\x7f"sv, "\5\0\0\0"sv}) {
    expect_malformed(with(16, letters), 1, header_, "fields need");
  }
  expect_malformed(with(12, "\xff\xff"sv), 1, header_, "fields need");
}

TEST_F(HostileBam, NamesThatCannotBe) {
  const std::size_t name = header_ + 4 + 32;
  expect_malformed(with(8, "\0"sv), 1, name, "does not end with a NUL byte");
  expect_malformed(with(8, "\1"sv), 1, name, "does not end with a NUL byte");
  expect_malformed(with(32, "abcd"sv), 1, name, "does not end with a NUL byte");
  for (const std::string_view bytes : {"\0bc"sv, "a\0c"sv, "a\tc"sv, "ab "sv, "a\nb"sv}) {
    expect_malformed(with(32, bytes), 1, name, "not one word");
  }
}

TEST_F(HostileBam, ReferencesThatAreNotThere) {
  expect_malformed(with(0, "\1\0\0\0"sv), 1, header_,
                   "reference 1 (the first is 0), but the header has 1");
  expect_malformed(with(0, "\xfe\xff\xff\xff"sv), 1, header_,
                   "reference -2 (the first is 0), but the header has 1");
  expect_malformed(with(20, "\1\0\0\0"sv), 1, header_,
                   "reference 1 (the first is 0), but the header has 1");
}

TEST_F(HostileBam, HeadersThatCannotBe) {
  expect_malformed(parse_bam("BAM\2"), 1, 0, "magic");
  expect_malformed(parse_bam("BAM\1\0\0\0\0\xff\xff\xff\xff"s), 1, 8, "negative");
  for (const std::string& text :
       {"BAM\1\xff\xff\xff\xff"s, "BAM\1\0\0\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f"s}) {
    EXPECT_EQ(parse_bam(text).error->kind(), ErrorKind::kInputTruncated);
  }
}

TEST(Sam, LettersKeepTheirCase) {
  EXPECT_THAT(parse_sam("@CO\tx\n" + line("a", 16, "acgtN.")).rows, ElementsAre("1 a=.Nacgt"));
}

TEST(Sam, LineEnds) {
  const std::string sam = std::string(kHeader) + line("a", 4, "AC") + line("b", 4, "G");
  std::string windows;
  for (const char letter : sam) windows += letter == '\n' ? "\r\n" : std::string(1, letter);
  EXPECT_EQ(parse_sam(windows).rows, parse_sam(sam).rows);
}

TEST(Sam, LinesThatCannotBe) {
  const std::string header = "@CO\tx\n";
  const std::string good = line("good", 4, "AC");
  const std::size_t at = header.size() + good.size();
  const auto bad = [&](const std::string& text) { return parse_sam(header + good + text); };
  const std::string rest = "\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n";
  expect_malformed(bad("\n"), 2, at, "QNAME is empty");
  expect_malformed(bad("x\n"), 2, at + 1, "the line has 1 fields; SAM needs 11");
  expect_malformed(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\tAC\n"), 2, at + 20,
                   "the line has 10 fields; SAM needs 11");
  expect_malformed(bad("@CO\tlate\n"), 2, at + 4, "FLAG is not a number");
  expect_malformed(bad("x y\t4" + rest), 2, at, "QNAME \"x y\" is not one word");
  expect_malformed(bad(std::string(255, 'x') + "\t4" + rest), 2, at, "QNAME has more than 254");
  expect_malformed(bad("x\t-1" + rest), 2, at + 2, "FLAG is not a number");
  expect_malformed(bad("x\t65536" + rest), 2, at + 2, "FLAG is not a number");
  expect_malformed(bad("x\t0x4" + rest), 2, at + 2, "FLAG is not a number");
  expect_malformed(bad("x\t" + std::string(30, '1') + rest), 2, at + 2, "FLAG is not a number");
  expect_malformed(bad("x\t4\t*\tz\t0\t*\t*\t0\t0\tAC\tII\n"), 2, at + 6, "POS is not a number");
  expect_malformed(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\tA*\tII\n"), 2, at + 19, "SEQ holds");
  expect_malformed(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\t*A\tII\n"), 2, at + 19, "SEQ holds");
  expect_malformed(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\tA C\tIII\n"), 2, at + 19, "SEQ holds");
  expect_malformed(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tI\n"), 2, at + 22,
                   "SEQ has 2 letters, but QUAL has 1 qualities");
  expect_malformed(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\t*\tI\n"), 2, at + 21,
                   "SEQ has 0 letters, but QUAL has 1 qualities");
  expect_malformed(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\tX\0\n"s), 2, at + 25, "NUL");
  EXPECT_FALSE(bad("x\t4\t*\t0\t0\t*\t*\t0\t0\tAC\t*\n").error);
}

TEST(Sam, TheFirstFaultIsTheError) {
  const std::string text = "@CO\tx\nx\t`7\t*\t0\t0\0\n"s;
  const std::string early =
      "@CO\tx\n" + std::string(250, 'x') + "\0"s + std::string(50, 'x') + "\n";
  for (const std::size_t block : {1U, 7U, 1U << 20U}) {
    expect_malformed(parse_sam(text, block), 1, 8, "FLAG is not a number");
    expect_malformed(parse_sam(early, block), 1, 256, "NUL");
  }
}

TEST(Sam, AFieldThatIsTooLongIsPlacedAtItsBegin) {
  const std::string flag = "@CO\tx\nx\t" + std::string(30, '1') + "\n";
  const std::string name = "@CO\tx\n" + std::string(300, 'x') + "\n";
  for (const std::size_t block : {1U, 7U, 1U << 20U}) {
    expect_malformed(parse_sam(flag, block), 1, 8, "FLAG is not a number");
    expect_malformed(parse_sam(name, block), 1, 6, "QNAME has more than 254");
  }
}

// The qualities of every read, from both formats.
std::vector<std::string> kept_qualities(const std::string& sam) {
  std::vector<std::string> found;
  MemorySource source(sam, 5);
  SamReader reader(source, "file", Qualities::kKeep);
  while (const auto record = reader.next()) found.push_back(record->qualities);
  MemorySource packed(bam_text(sam), 7);
  BamReader unpacked(packed, "file", Qualities::kKeep);
  std::vector<std::string> same;
  while (const auto record = unpacked.next()) same.push_back(record->qualities);
  EXPECT_EQ(same, found);
  return found;
}

TEST(Alignments, KeepQualitiesIfAskedTo) {
  const auto read = [](int flags, const std::string& letters, const std::string& qualities) {
    return "a\t" + std::to_string(flags) + "\t*\t0\t0\t*\t*\t0\t0\t" + letters + "\t" + qualities +
           "\n";
  };
  EXPECT_THAT(
      kept_qualities(std::string(kHeader) + read(4, "ACGTA", "!I~#*") + read(0x14, "ACG", "!I~") +
                     read(4, "ACGT", "*") + read(4, "*", "*") + read(4, "A", "5")),
      ElementsAre("!I~#*", "~I!", "", "", "5"));
}

TEST(Alignments, WriteNoQualityThatFastqCannot) {
  std::string text = bam_text(std::string(kHeader) + line("a", 4, "ACG"));
  const std::size_t at = text.rfind("\x28\x28\x28");  // 'I' is 40
  ASSERT_NE(at, std::string::npos);
  text[at + 1] = static_cast<char>(0xfe);
  MemorySource source(text, 1U << 20U);
  BamReader reader(source, "file", Qualities::kKeep);
  EXPECT_EQ(reader.next()->qualities, "I~I");
}

}  // namespace
}  // namespace virnucpro
