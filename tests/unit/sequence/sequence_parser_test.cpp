#include "sequence/sequence_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "unit/sequence/memory_source.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Rows = std::vector<std::string>;

constexpr std::string_view kFastq = "@a x\nACGT\n+\nIIII\n@b\nGG\n+b\n@+\n@c\nTT\n+\n##\n";

struct ParsedText {
  Rows rows;  // "header=letters"
  std::optional<Error> error;
};

ParsedText parse_text(std::string text, std::size_t block = 1U << 20U, ParserLimits limits = {}) {
  MemorySource source(std::move(text), block);
  SequenceParser parser(source, "in", limits);
  ParsedText outcome;
  outcome.error = caught([&] {
    while (const auto record = parser.next()) {
      outcome.rows.push_back(record->header + "=" + record->letters);
      EXPECT_EQ(record->number, outcome.rows.size());
    }
  });
  return outcome;
}

// The records of a good text; they must be the same for any block size.
Rows rows_of(const std::string& text) {
  const ParsedText outcome = parse_text(text);
  EXPECT_FALSE(outcome.error) << outcome.error->what();
  for (const std::size_t block : {1U, 2U, 3U, 7U}) {
    EXPECT_EQ(parse_text(text, block).rows, outcome.rows) << "in blocks of " << block;
  }
  return outcome.rows;
}

void expect_error(const std::string& text, ErrorKind kind, std::uint64_t record,
                  std::uint64_t offset, ParserLimits limits = {}) {
  const std::size_t least = text.size() < 1U << 20U ? 1 : 4093;  // a byte at a time takes minutes
  for (const std::size_t block : {std::size_t{1} << 20U, least, least + 2}) {
    const ParsedText outcome = parse_text(text, block, limits);
    ASSERT_TRUE(outcome.error) << ::testing::PrintToString(text);
    EXPECT_EQ(outcome.error->kind(), kind) << outcome.error->what();
    EXPECT_EQ(outcome.error->place().file, "in");
    EXPECT_EQ(outcome.error->place().record, record) << outcome.error->what();
    EXPECT_EQ(outcome.error->place().offset, offset) << outcome.error->what();
  }
}

TEST(Parser, NothingIsNoRecord) {
  for (const char* text : {"", "\n", " \t\r\n\n", "\xef\xbb\xbf", "\xef\xbb\xbf\n  \n"}) {
    EXPECT_THAT(rows_of(text), IsEmpty()) << ::testing::PrintToString(text);
  }
}

TEST(Parser, Fasta) {
  EXPECT_THAT(rows_of(">a b\nACGT\nAC\n>c\nGG\n"), ElementsAre("a b=ACGTAC", "c=GG"));
  EXPECT_THAT(rows_of(">a\nACGT"), ElementsAre("a=ACGT"));
  EXPECT_THAT(rows_of(">\nAC\n> x\nGT\n"), ElementsAre("=AC", " x=GT"));
}

TEST(Parser, FastaEmptySequencesAreRecords) {
  EXPECT_THAT(rows_of(">a\n>b\n\n>c"), ElementsAre("a=", "b=", "c="));
}

TEST(Parser, FastaBlankLinesByteOrderMarkAndWhiteSpace) {
  EXPECT_THAT(rows_of("\xef\xbb\xbf\n \n>a\n\nAC GT\n\n  a\tc\n\n>b\nG\n\n"),
              ElementsAre("a=ACGTac", "b=G"));
}

TEST(Parser, EveryLineEndOfPython) {
  const Rows expected{"a x=ACGT", "b=GG"};
  EXPECT_EQ(rows_of(">a x\nAC\nGT\n>b\nGG\n"), expected);
  EXPECT_EQ(rows_of(">a x\r\nAC\r\nGT\r\n>b\r\nGG\r\n"), expected);
  EXPECT_EQ(rows_of(">a x\rAC\rGT\r>b\rGG\r"), expected);
  EXPECT_EQ(rows_of("@a x\r\nACGT\r\n+\r\nIIII\r\n@b\r\nGG\r\n+\r\nII\r\n"), expected);
  EXPECT_EQ(rows_of("@a x\rACGT\r+\rIIII\r@b\rGG\r+\rII"), expected);
}

// The reader's window ends between the two bytes of a line's end.
TEST(Parser, AnEndOfLineInTwoWindows) {
  const std::string letters((256U << 10U) - 4, 'A');
  EXPECT_EQ(parse_text(">a\n" + letters + "\r\nC\r\n>b\r\nG\r\n").rows,
            (Rows{"a=" + letters + "C", "b=G"}));
  EXPECT_EQ(parse_text("@a\n" + letters + "\r\n+\r\n" + letters + "\r\n@b\nG\n+\nI\n").rows,
            (Rows{"a=" + letters, "b=G"}));
}

// A search of the whole window for each line feed would take minutes for a few megabytes.
TEST(SequenceParser, ManyLoneCarriageReturns) {
  const auto expected = rows_of(">a\nAC\n");
  EXPECT_EQ(rows_of(">a\rA" + std::string(1U << 18U, '\r') + "C"), expected);
}

TEST(Parser, EveryOtherAsciiCharacterIsALetter) {
  EXPECT_THAT(rows_of(">a\nAC-*.5u@+\x01\x7f\n"), ElementsAre("a=AC-*.5u@+\x01\x7f"));
}

// Two files that were joined without a line end.
TEST(Parser, AHeaderInsideALine) {
  expect_error(">a\nAC>b\nGT\n", ErrorKind::kInputMalformed, 1, 5);
  expect_error(">a\nAC\nG >b\nGT\n", ErrorKind::kInputMalformed, 1, 8);
  expect_error("@a\nA>C\n+\nIII\n", ErrorKind::kInputMalformed, 1, 4);
  expect_error("@a\n>AC\n+\nIII\n", ErrorKind::kInputMalformed, 1, 3);
  EXPECT_THAT(parse_text(">a\nAC>b\nGT\n").error->detail(),
              HasSubstr("awk 1 a.fa b.fa > joined.fa"));
  EXPECT_FALSE(parse_text("@a\nAC\n+\n>>\n").error) << "qualities may have it";
}

TEST(Parser, Fastq) {
  EXPECT_THAT(rows_of(std::string(kFastq)), ElementsAre("a x=ACGT", "b=GG", "c=TT"));
}

TEST(Parser, FastqOfSeveralLinesWithQualitiesThatLookLikeHeaders) {
  EXPECT_THAT(
      rows_of("@a\nACGT\nACGT\nAC\n+a\n@III\n+III\n@I\n@b\nA\n+\n@\n\n\n@c\nAA\nAA\n+\n@@@@\n"),
      ElementsAre("a=ACGTACGTAC", "b=A", "c=AAAA"));
}

TEST(Parser, FastqEmptySequences) {
  EXPECT_THAT(rows_of("@a\n\n+\n\n@b\nA\n+\nI\n@c\n\n+\n"), ElementsAre("a=", "b=A", "c="));
  // A line that starts with '@' cannot be the qualities of no letters.
  EXPECT_THAT(rows_of("@a\n+\n@b\n\n+b\n\n@c\nA\n+\nI\n"), ElementsAre("a=", "b=", "c=A"));
}

TEST(Parser, FastqRepeatedHeaders) {
  EXPECT_THAT(rows_of("@a b\nA\n+a b\nI\n@a b\nA\n+a\nI\n"), ElementsAre("a b=A", "a b=A"));
  EXPECT_THAT(rows_of("@a b\v\nA\n+\xc2\xa0 a b \x1c\nI\n@c\nA\n+\xe2\x80\xa8\nI\n"),
              ElementsAre("a b\v=A", "c=A"));
  expect_error("@a b\nA\n+c\nI\n", ErrorKind::kInputMalformed, 1, 7);
  expect_error("@a b\nA\n+\xe2\x80\x8b\nI\n", ErrorKind::kInputMalformed, 1, 7);
}

TEST(Parser, UnknownFormats) {
  expect_error("ACGT\n", ErrorKind::kInputFormat, 1, 0);
  expect_error("\n\n;x\n", ErrorKind::kInputFormat, 1, 2);
  expect_error(std::string("\0\1\2", 3), ErrorKind::kInputFormat, 1, 0);
  expect_error("  >a\nA\n", ErrorKind::kInputFormat, 1, 2);
  expect_error(std::string("\xff\xfe>\0", 4), ErrorKind::kInputFormat, 1, 0);
}

TEST(Parser, NamesTheFormatsItDoesNotRead) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {std::string("\xfd"
                   "7zXZ\0\0",
                   7),
       "xz -dc FILE | virnucpro predict -"},
      {"\x28\xb5\x2f\xfd.", "zstd -dc FILE | virnucpro predict -"},
      {"BZh91AY", "bzip2 -dc FILE | virnucpro predict -"},
      {"PK\3\4..", "unzip -p FILE | virnucpro predict -"},
      {"PK\5\6..", "unzip -p FILE | virnucpro predict -"},
      {"r1\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n", "SAM with its header: samtools view -h"}};
  for (const auto& [text, hint] : cases) {
    expect_error(text, ErrorKind::kInputFormat, 1, 0);
    for (const std::size_t block : {1U, 100U}) {
      EXPECT_THAT(parse_text(text, block).error->detail(), HasSubstr(hint));
    }
  }
  expect_error("\xef\xbb\xbf\x28\xb5\x2f\xfd", ErrorKind::kInputFormat, 1, 3);
  EXPECT_EQ(parse_text("\xef\xbb\xbf\x28\xb5\x2f\xfd", 1).error->detail(),
            parse_text("\xef\xbb\xbf\x28\xb5\x2f\xfd").error->detail());
  EXPECT_THAT(rows_of("@HD x\nA\n+\nI\n@HD\tx\nA\n+\nI\n"), ElementsAre("HD x=A", "HD\tx=A"));
}

TEST(Parser, FastqOnlyWhereAsked) {
  const auto first = [](const char* text) {
    MemorySource source(text);
    SequenceParser parser(source, "in", {}, TextFormats::kFastqOnly);
    return parser.next()->header;
  };
  EXPECT_EQ(first("@a\nA\n+\nI\n"), "a");
  EXPECT_THROW(first("\n>a\nA\n"), Error);
}

TEST(Parser, TellsWhereItsLastRecordStarts) {
  MemorySource source("\n@a\nA\n+\nI\n\n@b\nA\n+\nI\n");
  SequenceParser parser(source, "in");
  parser.next();
  EXPECT_EQ(parser.record_offset(), 1U);
  parser.next();
  EXPECT_EQ(parser.record_offset(), 11U);
}

TEST(Parser, NulAndNonAsciiLetters) {
  expect_error(std::string(">a\nAC\n>b\nA\0C\n", 14), ErrorKind::kInputMalformed, 2, 10);
  expect_error(">a\nAC\xc3\xa9\n", ErrorKind::kInputMalformed, 1, 5);
  expect_error(std::string("@a\nA\0\n+\nII\n", 11), ErrorKind::kInputMalformed, 1, 4);
  expect_error(std::string(">a\0b\nA\n", 7), ErrorKind::kInputMalformed, 1, 2);
}

TEST(Parser, FastqUnequalLengths) {
  expect_error("@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", ErrorKind::kInputMalformed, 1, 14);
  expect_error("@a\nACGT\n+\nIIIII\n", ErrorKind::kInputMalformed, 1, 14);
  expect_error("@a\nAC\nGT\n+\nIII\n@b\nA\n+\nI\n", ErrorKind::kInputMalformed, 1, 16);
  for (const std::string last : {"@a\nACGT\n+\nIII", "@a\nACGT\n+\nIII\n"}) {
    expect_error(last, ErrorKind::kInputTruncated, 1, last.size());
    EXPECT_EQ(parse_text(last).error->detail(), "the read has 4 letters, but 3 qualities");
  }
  EXPECT_EQ(parse_text("@a\nACGT\n+\nIII\n@b\n").error->detail(),
            "the read has 4 letters, but 3 qualities");
  EXPECT_EQ(parse_text("@a\nACGT\n+\n").error->detail(), "the read has 4 letters, but 0 qualities");
}

TEST(Parser, FastqWithoutItsMarks) {
  expect_error("@a\nACGT\nIIII\n@b\nA\n+\nI\n", ErrorKind::kInputMalformed, 1, 13);
  expect_error("@a\nA\n+\nI\nb\nA\n+\nI\n", ErrorKind::kInputMalformed, 2, 9);
  expect_error("@a\nA\n+\nI\n>b\nA\n", ErrorKind::kInputMalformed, 2, 9);
  expect_error("@a\nA\n+\n\x07\n", ErrorKind::kInputMalformed, 1, 7);
  expect_error("@a\nA\n+\nII\x07\n", ErrorKind::kInputMalformed, 1, 8);
}

// A cut FASTQ is complete only if the last record has all its qualities; it needs no line end.
TEST(Parser, FastqCutAtEveryByte) {
  const std::string text(kFastq);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const ParsedText outcome = parse_text(text.substr(0, size));
    const bool legal = size == 0 || size == 16 || size == 17 || size == 28 || size == 29 ||
                       size == text.size() - 1;
    EXPECT_EQ(!outcome.error.has_value(), legal) << "cut to " << size;
    if (!outcome.error) continue;
    EXPECT_EQ(outcome.error->kind(), ErrorKind::kInputTruncated) << "cut to " << size;
    EXPECT_EQ(outcome.error->place().offset, size);
    EXPECT_EQ(outcome.error->place().record, outcome.rows.size() + 1);
  }
}

TEST(Parser, Limits) {
  EXPECT_FALSE(parse_text(">abcd\nACGT\nAC\n", 1, {.letters = 6, .header = 5}).error);
  expect_error(">abcd\nACGT\nACG\n", ErrorKind::kInputTooLong, 1, 13, {.letters = 6, .header = 9});
  expect_error(">abcdefgh\nA\n", ErrorKind::kInputMalformed, 1, 4, {.letters = 6, .header = 4});
  const std::string header = "@" + std::string((16U << 20U) - 1, 'x');
  const std::string separator = "+" + header.substr(1);
  EXPECT_FALSE(parse_text(header + "\nA\n" + separator + "\nI\n").error);
  expect_error(header + "x\nA\n+\nI\n", ErrorKind::kInputMalformed, 1, 16U << 20U);
  expect_error(header + "\nA\n" + separator + "x\nI\n", ErrorKind::kInputMalformed, 1,
               (32U << 20U) + 3);
  EXPECT_EQ(parse_text(header + "x\nA\n").error->detail(),
            "a header line has more than 16777216 bytes");
}

TEST(Parser, LinesLongerThanTheWindow) {
  const std::string letters(1'000'003, 'C');
  EXPECT_EQ(parse_text(">a\n" + letters + "\n>b\nA\n").rows, (Rows{"a=" + letters, "b=A"}));
  EXPECT_EQ(parse_text("@a\n" + letters + "\n+\n" + std::string(letters.size(), '@') + "\n").rows,
            (Rows{"a=" + letters}));
}

TEST(Parser, HashesTheWholeText) {
  const std::string text = "\xef\xbb\xbf>a\r\nAC\r\n";
  std::vector<std::string> hashes;
  for (const std::size_t block : {1U, 100U}) {
    MemorySource source(text, block);
    SequenceParser parser(source, "in");
    while (parser.next()) {
    }
    EXPECT_EQ(parser.bytes(), text.size());
    hashes.push_back(parser.hash());
  }
  EXPECT_THAT(hashes, ElementsAre(content_hash(text), content_hash(text)));
}

TEST(Parser, PlacesTheErrorsOfItsSource) {
  class Cut : public MemorySource {
   public:
    using MemorySource::MemorySource;
    std::size_t read(std::span<char> buffer) override {
      const std::size_t size = MemorySource::read(buffer);
      if (size == 0) throw Error(ErrorKind::kInputCorrupt, "bits");
      return size;
    }
  };
  Cut source(">a\nA\n>b\nCC");
  SequenceParser parser(source, "in");
  EXPECT_EQ(parser.next()->header, "a");
  EXPECT_THAT(thrown([&] { parser.next(); }).what(),
              HasSubstr("in: record 2, byte 10: compressed input is damaged: bits"));
}

// However they are wrapped: "GG" has the qualities "@+".
TEST(SequenceParser, KeepsQualitiesIfAskedTo) {
  const std::string text =
      "@a x\nACGT\n+\nIIIJ\n@b\nGG\n+b\n@+\n@c\nTT\nAA\n+\n#\n!~ $\n@d\n\n+\n\n";
  for (const std::size_t block : {1U << 20U, 1U, 3U}) {
    MemorySource source(text, block);
    SequenceParser parser(source, "in", {}, TextFormats::kFastaOrFastq, Qualities::kKeep);
    std::vector<std::string> qualities;
    while (const auto record = parser.next()) qualities.push_back(record->qualities);
    EXPECT_EQ(qualities, (std::vector<std::string>{"IIIJ", "@+", "#!~$", ""}));
  }
  MemorySource source(text, 1U << 20U);
  SequenceParser parser(source, "in");
  EXPECT_EQ(parser.next()->qualities, "");
}

}  // namespace
}  // namespace virnucpro
