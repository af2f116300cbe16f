#include "sequence/mapped_alignment.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "sequence/bam_reader.hpp"
#include "sequence/sam_reader.hpp"
#include "unit/sequence/alignment_file.hpp"
#include "unit/sequence/memory_source.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::string_literals;

constexpr std::string_view kTwoReferences =
    "@HD\tVN:1.6\n@SQ\tSN:r\tLN:1000\n@CO\tSN:x\n@SQ\tLN:50\tAN:other\tSN:NODE_2\n";

// A line of SAM whose letters fit its CIGAR unless they are given.
struct MappedLine {
  std::string name = "a";
  unsigned flags = 0;
  std::string reference = "r";
  std::string quality = "60";
  std::string cigar = "4M";
  std::string letters = "ACGT";
  std::string tags = "\tNM:i:1";

  std::string text() const {
    return fmt::format("{}\t{}\t{}\t10\t{}\t{}\t*\t0\t0\t{}\t*{}\n", name, flags, reference,
                       quality, cigar, letters, tags);
  }
};

struct Mapped {
  std::vector<std::string> rows;
  UnplacedAlignments unplaced;
  std::optional<Error> error;
};

template <typename Reader>
Mapped mapped_by(std::string text, std::size_t block = 1U << 20U) {
  MemorySource source(std::move(text), block);
  Reader reader(source, "file");
  Mapped mapped;
  mapped.error = caught([&] {
    const ReferenceList& references = reader.references();
    while (const auto found = reader.next_mapped()) {
      mapped.rows.push_back(fmt::format(
          "{} {} {} {}/{} q{} {:.2f} {:.2f} of {}", found->number, found->name, found->flags,
          references.at(found->reference).name, references.at(found->reference).length,
          found->mapping_quality, found->identity(), found->coverage(), found->read_length()));
    }
  });
  mapped.unplaced = reader.unplaced();
  return mapped;
}

// Reads the lines as both formats, in blocks of several sizes.
Mapped mapped_lines(const std::string& lines) {
  const std::string sam = std::string(kTwoReferences) + lines;
  const std::string bam = bam_text(sam);
  Mapped mapped = mapped_by<SamReader>(sam);
  EXPECT_FALSE(mapped.error) << mapped.error->what();
  for (const std::size_t block : {1U, 7U, 1U << 20U}) {
    EXPECT_EQ(mapped_by<SamReader>(sam, block).rows, mapped.rows);
    EXPECT_EQ(mapped_by<BamReader>(bam, block).rows, mapped.rows);
  }
  return mapped;
}

void expect_fault(const Mapped& mapped, std::uint64_t record, const std::string& detail,
                  ErrorKind kind = ErrorKind::kInputMalformed) {
  ASSERT_TRUE(mapped.error) << detail;
  EXPECT_EQ(mapped.error->kind(), kind) << mapped.error->what();
  EXPECT_EQ(mapped.error->place().file, "file");
  EXPECT_EQ(mapped.error->place().record, record) << mapped.error->what();
  EXPECT_TRUE(mapped.error->place().offset) << mapped.error->what();
  EXPECT_THAT(mapped.error->detail(), HasSubstr(detail));
}

// The second record of both formats is at fault.
void expect_fault_in_both(const MappedLine& line, const std::string& detail) {
  const std::string sam = std::string(kTwoReferences) + MappedLine().text() + line.text();
  for (const Mapped& mapped : {mapped_by<SamReader>(sam), mapped_by<BamReader>(bam_text(sam))}) {
    expect_fault(mapped, 2, detail);
    EXPECT_EQ(mapped.rows.size(), 1U);
  }
}

TEST(MappedAlignment, FactsOfBothFormats) {
  const Mapped found = mapped_lines(MappedLine{}.text() +
                                    MappedLine{.name = "b",
                                               .flags = 0x1 + 0x10 + 0x80,
                                               .reference = "NODE_2",
                                               .quality = "255",
                                               .cigar = "3H2S4=1X2I3M5D7N1P1S2H",
                                               .letters = "ACGTACGTACGTA",
                                               .tags = "\tXX:Z:NM:i:9\tYY:B:s,1,2\tNM:i:7\tZZ:A:N"}
                                        .text() +
                                    MappedLine{.name = "c", .quality = "0", .letters = "*"}.text());
  EXPECT_THAT(found.rows, ElementsAre("1 a 0 r/1000 q60 75.00 100.00 of 4",
                                      "2 b 145 NODE_2/50 q255 53.33 55.56 of 18",
                                      "3 c 0 r/1000 q0 75.00 100.00 of 4"));
}

TEST(MappedAlignment, DistancesOfEverySize) {
  std::string lines;
  for (const std::string distance : {"0", "255", "256", "65535", "65536", "100000"}) {
    lines += MappedLine{.cigar = "100000M", .letters = "*", .tags = "\tNM:i:" + distance}.text();
  }
  EXPECT_THAT(mapped_lines(lines).rows,
              ElementsAre(HasSubstr(" 100.00 "), HasSubstr(" 99.75 "), HasSubstr(" 99.74 "),
                          HasSubstr(" 34.47 "), HasSubstr(" 34.46 "), HasSubstr(" 0.00 ")));
}

// Only FLAG counts in secondary and supplementary records; their other fields do not matter.
TEST(MappedAlignment, OtherRecordsAreCountedApart) {
  const std::string odd = "\tNM:Z:x";
  const std::string lines =
      MappedLine{.flags = 256, .tags = odd}.text() + MappedLine{.flags = 2048, .tags = odd}.text() +
      MappedLine{.flags = 256 + 2048, .tags = odd}.text() +
      MappedLine{.flags = 4 + 256, .reference = "*", .cigar = "*", .tags = odd}.text() +
      MappedLine{.flags = 4 + 2048, .reference = "r", .cigar = "*", .tags = odd}.text() +
      MappedLine{.name = "last"}.text();
  const Mapped found = mapped_lines(lines);
  EXPECT_THAT(found.rows, ElementsAre("6 last 0 r/1000 q60 75.00 100.00 of 4"));
  EXPECT_EQ(found.unplaced.unmapped, 2U);
  EXPECT_EQ(found.unplaced.repeats.secondary, 2U);
  EXPECT_EQ(found.unplaced.repeats.supplementary, 1U);
  EXPECT_THAT(mapped_lines("").rows, IsEmpty());
}

TEST(MappedAlignment, FactsThatCannotBe) {
  expect_fault_in_both({.tags = ""}, "has no tag NM");
  expect_fault_in_both({.tags = "\tNM:Z:1"}, "NM is not a number");
  expect_fault_in_both({.tags = "\tNM:f:1"}, "NM is not a number");
  expect_fault_in_both({.tags = "\tNM:A:1"}, "NM is not a number");
  expect_fault_in_both({.tags = "\tNM:B:c,1"}, "NM is not a number");
  expect_fault_in_both({.tags = "\tNM:i:-1"}, "NM is not a number");
  expect_fault_in_both({.tags = "\tNM:i:1\tNM:i:1"}, "NM occurs twice");
  expect_fault_in_both({.tags = "\tNM:i:5"}, "NM is 5, but only 4 letters are aligned");
  expect_fault_in_both({.cigar = "4S"}, "its CIGAR aligns no letter");
  const std::string sam = std::string(kTwoReferences) + MappedLine{.cigar = "5M"}.text();
  expect_fault(mapped_by<SamReader>(sam), 1, "SEQ has 4 letters, but CIGAR has 5");
  expect_fault(mapped_by<SamReader>(std::string(kTwoReferences) + MappedLine{.cigar = "*"}.text()),
               1, "its CIGAR aligns no letter");
}

TEST(MappedAlignment, TheRemedyNamesWhoWritesTheTag) {
  const std::string sam = std::string(kTwoReferences) + MappedLine{.tags = ""}.text();
  for (const Mapped& mapped : {mapped_by<SamReader>(sam), mapped_by<BamReader>(bam_text(sam))}) {
    ASSERT_TRUE(mapped.error);
    EXPECT_THAT(std::string(mapped.error->remedy()), HasSubstr("samtools calmd"));
  }
}

TEST(MappedSam, LinesThatCannotBe) {
  const auto bad = [](const MappedLine& line) {
    const std::string sam = std::string(kTwoReferences) + line.text();
    const Mapped whole = mapped_by<SamReader>(sam);
    for (const std::size_t block : {1U, 7U}) {
      EXPECT_STREQ(mapped_by<SamReader>(sam, block).error->what(), whole.error->what());
    }
    return whole;
  };
  expect_fault(bad({.reference = "nobody"}), 1, "RNAME nobody is not in the header");
  expect_fault(bad({.reference = "*"}), 1, "RNAME * is not in the header");
  expect_fault(bad({.reference = std::string(70'000, 'r')}), 1, "rrr… is not in the header");
  expect_fault(bad({.quality = "256"}), 1, "MAPQ is not a number from 0 to 255");
  expect_fault(bad({.quality = "-1"}), 1, "MAPQ is not a number from 0 to 255");
  for (const char* cigar : {"M", "4", "4Q", "4M*", "*4M", "4M M", "4M-1I", "**", "=4"}) {
    expect_fault(bad({.cigar = cigar}), 1, "CIGAR ");
  }
  expect_fault(bad({.cigar = "1099511627777M"}), 1, "CIGAR is not valid from '7' on");
  expect_fault(bad({.cigar = "99999999999999999999999M"}), 1, "CIGAR is not valid from '9' on");
  expect_fault(bad({.cigar = "1099511627776D1M"}), 1, "CIGAR is not valid from 'M' on");
  for (const char* tag : {"\tNM:i:", "\tNM:i:x", "\tNM:i:1x", "\tNM:", "\tNM:i:1 ",
                          "\tNM:i:00000000000000000000000001"}) {
    expect_fault(bad({.tags = tag}), 1, "NM is not a number");
  }
}

TEST(MappedSam, HeadersThatCannotBe) {
  const auto header = [](const std::string& lines) {
    return mapped_by<SamReader>("@HD\tV\n" + lines);
  };
  expect_fault(header("@SQ\tSN:a\n"), 1, "has no length");
  expect_fault(header("@SQ\tSN:a\tLN:\n"), 1, "has no length");
  expect_fault(header("@SQ\tSN:a\tLN:-1\n"), 1, "has no length");
  expect_fault(header("@SQ\tSN:a\tLN:99999999999999999999\n"), 1, "has no length");
  expect_fault(header("@SQ\tLN:1\n"), 1, "has no name");
  expect_fault(header("@SQ\tSN:\tLN:1\n"), 1, "has no name");
  expect_fault(header("@SQ\tSN:a b\tLN:1\n"), 1, "has no name");
  expect_fault(header("@SQ\tSN:a\tLN:1\n@SQ\tSN:b\tLN:1\n@SQ\tSN:a\tLN:1\n"), 1,
               "names the reference a twice");
  expect_fault(header("@SQ\tSN:" + std::string(66'000, 'a') + "\tLN:1\n"), 1, "more than 65535");
  expect_fault(header("@SQ\tSN:a\tLN:1\tUR:" + std::string(300'000, 'u') + "\n"), 1,
               "more than 262144");
  expect_fault(header("@SQ\tSN:a\0\tLN:1\n"s), 1, "NUL");
  EXPECT_FALSE(header("@CO\t" + std::string(300'000, 'u') + "\n@SQX\tSN:a\n").error);
}

TEST(ReferenceList, NamesAreBounded) {
  ReferenceList list;
  const std::string name(ReferenceList::kLongestName, 'n');
  const auto fill = [&] {
    for (std::size_t k = 0; k <= ReferenceList::kMostBytes / name.size(); ++k) list.add(name, 1);
  };
  EXPECT_THROW(fill(), Error);
}

// The uncompressed text of a BAM with one record, of which parts can be replaced.
class MappedBam : public ::testing::Test {
 protected:
  explicit MappedBam(const std::string& tags = "\tNM:i:1")
      : header_(bam_text(kTwoReferences).size()),
        text_(bam_text(std::string(kTwoReferences) + MappedLine{.tags = tags}.text())) {}

  static constexpr std::size_t kName = 32;  // after the record's size
  static constexpr std::size_t kCigarPlace = kName + 2;
  static constexpr std::size_t kTags = kCigarPlace + 4 + 2 + 4;

  Mapped with(std::size_t offset, std::string_view bytes) const {
    std::string text = text_;
    text.replace(header_ + 4 + offset, bytes.size(), bytes);
    return mapped_by<BamReader>(text);
  }
  // With these tags, and the record's size as they need it.
  Mapped with_tags(std::string_view tags) const {
    std::string text = text_.substr(0, header_ + 4 + kTags) + std::string(tags);
    const auto size = static_cast<std::uint32_t>(kTags + tags.size());
    text.replace(header_, 4, bytes_of(size));
    return mapped_by<BamReader>(text);
  }

  std::size_t header_;
  std::string text_;
};

TEST_F(MappedBam, IntegersOfEveryType) {
  for (const std::string& tags : {"NMc\1"s, "NMC\1"s, "NMs\1\0"s, "NMS\1\0"s, "NMi\1\0\0\0"s,
                                  "NMI\1\0\0\0"s, "XXZ\0NMc\1"s, "XXBf\1\0\0\0\0\0\0\0NMc\1"s,
                                  "XXBc\0\0\0\0NMc\1XXHFF\0"s, "CGBI\1\0\0\0\x40\0\0\0NMc\1"s}) {
    EXPECT_THAT(with_tags(tags).rows, ElementsAre("1 a 0 r/1000 q60 75.00 100.00 of 4"));
  }
  for (const std::string& tags : {"NMc\xff"s, "NMs\xff\xff"s, "NMi\xff\xff\xff\xff"s}) {
    expect_fault(with_tags(tags), 1, "NM is not a number");
  }
  expect_fault(with_tags("NMC\xff"), 1, "NM is 255, but only 4 letters");
  expect_fault(with_tags("NMI\xff\xff\xff\xff"), 1, "NM is 4294967295, but only 4 letters");
}

TEST_F(MappedBam, TagsThatCannotBe) {
  for (const std::string& tags :
       {"N"s, "NM"s, "NMi"s, "NMi\1\0\0"s, "XXf\0"s, "XXB"s, "XXBc\1\0\0"s, "XXBi\1\0\0\0\0"s,
        "XXBI\xff\xff\xff\xff\0\0\0\0"s, "NMc\1X"s}) {
    expect_fault(with_tags(tags), 1, "a tag needs");
  }
  expect_fault(with_tags("XXZabc"), 1, "the text of the tag XX does not end with a NUL byte");
  expect_fault(with_tags("XXH"), 1, "the text of the tag XX does not end with a NUL byte");
  expect_fault(with_tags("XXd\0\0\0\0"s), 1, "unknown type");
  expect_fault(with_tags("XXBZ\0\0\0\0"s), 1, "unknown type");
  expect_fault(with_tags("XXBA\0\0\0\0"s), 1, "unknown type");
  expect_fault(with_tags(""), 1, "has no tag NM");
}

TEST_F(MappedBam, EveryCutOfTheTags) {
  const std::string tags = "XXZab\0YYBs\2\0\0\0\1\0\2\0NMc\1"s;
  for (std::size_t size = 0; size < tags.size(); ++size) {
    EXPECT_TRUE(with_tags(tags.substr(0, size)).error) << size;
  }
  EXPECT_FALSE(with_tags(tags).error);
}

TEST_F(MappedBam, RecordsThatCannotBe) {
  expect_fault(with(0, "\xff\xff\xff\xff"), 1, "names no reference");
  expect_fault(with(0, "\2\0\0\0"s), 1, "reference 2 (the first is 0), but the header has 2");
  expect_fault(with(kCigarPlace, "\x49\0\0\0"s), 1, "CIGAR holds");
  expect_fault(with(kCigarPlace, "\x50\0\0\0"s), 1, "SEQ has 4 letters, but CIGAR has 5");
  expect_fault(with(kName, "ab"), 1, "does not end with a NUL byte");
}

TEST_F(MappedBam, ACigarInItsTag) {
  // 4S1000N stands for what CG has: 1M1I2M.
  const std::string sam = std::string(kTwoReferences) + MappedLine{.cigar = "4S1000N"}.text();
  const auto with_long = [&](const std::string& tags) {
    std::string text = bam_text(sam);
    text.replace(text.size() - 4, 4, tags);  // NM:C:1
    text.replace(header_, 4, bytes_of(static_cast<std::uint32_t>(text.size() - header_ - 4)));
    return mapped_by<BamReader>(text);
  };
  const std::string cigar = "CGBI\3\0\0\0\x10\0\0\0\x11\0\0\0\x20\0\0\0"s;
  EXPECT_THAT(with_long(cigar + "NMC\1").rows, ElementsAre("1 a 0 r/1000 q60 75.00 100.00 of 4"));
  expect_fault(with_long("NMC\1"), 1, "aligns no letter");
  expect_fault(with_long("CGBi\1\0\0\0\x40\0\0\0NMC\1"s), 1, "aligns no letter");
  expect_fault(with_long("CGBI\1\0\0\0\x50\0\0\0NMC\1"s), 1, "SEQ has 4 letters, but CIGAR has 5");
  expect_fault(with_long("CGBI\1\0\0\0\x4f\0\0\0NMC\1"s), 1, "CG holds an operation");
  expect_fault(with_long(cigar + cigar + "NMC\1"), 1, "CG occurs twice");
}

TEST(MappedBamHeader, HeadersThatCannotBe) {
  const auto header = [](const std::string& references) {
    return mapped_by<BamReader>("BAM\1\0\0\0\0"s + references);
  };
  expect_fault(header("\1\0\0\0\0\0\0\0"s), 1, "name in the header does not end with a NUL byte");
  expect_fault(header("\1\0\0\0\2\0\0\0ab\1\0\0\0"s), 1,
               "name in the header does not end with a NUL byte");
  expect_fault(header("\1\0\0\0\1\0\0\0\0\1\0\0\0"s), 1, "not one word");
  expect_fault(header("\1\0\0\0\4\0\0\0a\0b\0\1\0\0\0"s), 1, "not one word");
  expect_fault(header("\1\0\0\0\2\0\0\0a\0\xff\xff\xff\xff"s), 1,
               "gives the reference a a negative length");
  expect_fault(header("\2\0\0\0\2\0\0\0a\0\1\0\0\0\2\0\0\0a\0\1\0\0\0"s), 1,
               "names the reference a twice");
  expect_fault(header("\1\0\0\0\1\0\1\0"s + std::string(65'537, 'a')), 1, "more than 65535");
  expect_fault(header("\xff\xff\xff\x7f\2\0\0\0a\0\1\0\0\0"s), 1, "within a BAM header",
               ErrorKind::kInputTruncated);
}

}  // namespace
}  // namespace virnucpro
