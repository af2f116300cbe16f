#include "sequence/cram_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "sequence/sam_reader.hpp"
#include "unit/child_status.hpp"
#include "unit/length.hpp"
#include "unit/sequence/alignment_file.hpp"
#include "unit/sequence/cram_repair.hpp"
#include "unit/sequence/memory_source.hpp"
#include "unit/sequence/parsed_alignments.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::string_view_literals;

std::string random_letters(std::size_t size, std::uint32_t seed) {
  std::string letters;
  while (letters.size() < size) {
    seed = seed * 1664525U + 1013904223U;
    letters += "ACGT"[seed >> 30U];
  }
  return letters;
}

Parsed parse(const std::string& content, const std::string& reference = "",
             std::size_t block = 1U << 20U) {
  const Cancel cancel;
  MemorySource source(content, block);
  ReferenceIndex index(reference);
  CramReader reader(source, "file", index, cancel);
  return parse_all(reader);
}

void expect_error(const Parsed& parsed, ErrorKind kind, const std::string& detail) {
  ASSERT_TRUE(parsed.error);
  EXPECT_EQ(parsed.error->info().name, error_info(kind).name) << parsed.error->what();
  EXPECT_THAT(parsed.error->what(), HasSubstr(detail));
}

// Two reference sequences, reads on both of them, some reversed, and an unmapped read.
class Cram : public ::testing::Test {
 protected:
  Cram()
      : first_(random_letters(2000, 1)),
        second_(random_letters(1000, 2)),
        reference_(folder_.write("reference.fa", ">r1 x\n" + first_ + "\n>r2\n" + second_ + "\n")) {
    sam_ = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:r1\tLN:2000\n@SQ\tSN:r2\tLN:1000\n";
    add("a", 0, "r1", 10, first_.substr(9, 100));
    add("b", 16, "r1", 20, first_.substr(19, 50) + "NRY");
    add("p", 1 + 64, "r1", 30, first_.substr(29, 30));
    add("a", 256, "r1", 40, first_.substr(39, 40));
    add("c", 0, "r2", 5, second_.substr(4, 70));
    add("a", 2048 + 16, "r2", 6, second_.substr(5, 20));
    add("p", 1 + 128 + 16, "r2", 30, second_.substr(29, 30));
    add("u", 4, "*", 0, "ACGTNACGT");
    add("e", 4, "*", 0, "*");
  }

  void add(const std::string& name, unsigned flags, const std::string& where, int position,
           const std::string& letters) {
    const bool empty = letters == "*";
    const std::string cigar = where == "*" ? "*" : std::to_string(letters.size()) + "M";
    sam_ += name + "\t" + std::to_string(flags) + "\t" + where + "\t" + std::to_string(position) +
            "\t0\t" + cigar + "\t*\t0\t0\t" + letters + "\t" +
            (empty ? "*" : std::string(letters.size(), 'I')) + "\n";
  }

  std::string cram(std::initializer_list<const char*> options = {}) const {
    const std::string reference = "reference=" + reference_;
    std::vector<const char*> all(options);
    all.push_back(reference.c_str());
    return written_by_htslib(sam_, "wc", all);
  }

  std::vector<std::string> expected() const {
    MemorySource source(sam_);
    SamReader reader(source, "sam");
    return parse_all(reader).rows;
  }

  TestFolder folder_;
  std::string first_;
  std::string second_;
  std::string reference_;
  std::string sam_;
};

TEST_F(Cram, ReadsAsInSam) {
  ASSERT_THAT(expected(), SizeIs(7));
  for (const char* version : {"version=3.0", "version=3.1"}) {
    for (const std::string& content :
         {cram({version}), cram({version, "multi_seq_per_slice=1"}),
          cram({version, "seqs_per_slice=2"}),
          cram({version, "seqs_per_slice=2", "slices_per_container=3"})}) {
      for (const std::size_t block : {11U, 1U << 20U}) {
        const Parsed parsed = parse(content, reference_, block);
        EXPECT_FALSE(parsed.error) << parsed.error->what();
        EXPECT_EQ(parsed.rows, expected());
        EXPECT_EQ(parsed.skipped.secondary, 1U);
        EXPECT_EQ(parsed.skipped.supplementary, 1U);
      }
    }
  }
}

TEST_F(Cram, HashIsOfTheFile) {
  const std::string content = cram();
  const Parsed parsed = parse(content, reference_);
  EXPECT_EQ(parsed.hash, content_hash(content));
  EXPECT_EQ(parsed.bytes, content.size());
}

TEST_F(Cram, WithoutReferenceWhereNoneIsNeeded) {
  for (const std::string& content : {cram({"no_ref=1"}), cram({"embed_ref=1"})}) {
    const Parsed parsed = parse(content);
    EXPECT_FALSE(parsed.error) << parsed.error->what();
    EXPECT_EQ(parsed.rows, expected());
  }
}

TEST_F(Cram, NoRecords) {
  sam_ = "@HD\tVN:1.6\n";
  const Parsed parsed = parse(cram());
  EXPECT_FALSE(parsed.error) << parsed.error->what();
  EXPECT_THAT(parsed.rows, IsEmpty());
}

TEST_F(Cram, ManyContainers) {
  for (int i = 0; i < 3000; ++i) {
    add(fmt::format("x{}", i), 4, "*", 0, random_letters(150, static_cast<std::uint32_t>(i)));
  }
  for (const char* slices : {"slices_per_container=1", "slices_per_container=7"}) {
    const Parsed parsed = parse(cram({"seqs_per_slice=100", slices}), reference_);
    EXPECT_FALSE(parsed.error) << parsed.error->what();
    EXPECT_EQ(parsed.rows, expected());
  }
}

std::size_t long_letters() {
  return test_length() == TestLength::kCheck ? 4'000'000 : 30'000'000;
}

// Small containers after a large one, which is still being decoded when they are sent.
TEST_F(Cram, LongReads) {
  add("long", 4, "*", 0, random_letters(long_letters(), 3));
  for (int i = 0; i < 20; ++i) add(fmt::format("s{}", i), 4, "*", 0, "ACGT");
  const Parsed parsed = parse(cram({"seqs_per_slice=1"}), reference_);
  EXPECT_FALSE(parsed.error) << parsed.error->what();
  EXPECT_TRUE(parsed.rows == expected());
}

// The qualities are equal bytes and compress to nothing; so do letters equal to a reference.
TEST_F(Cram, LongReadsWithoutQualities) {
  const std::size_t letters = long_letters();
  const std::string genome = random_letters(letters, 5);
  reference_ = folder_.write("genome.fa", ">g\n" + genome + "\n");
  sam_ = fmt::format("@HD\tVN:1.6\n@SQ\tSN:g\tLN:{0}\nx\t0\tg\t1\t0\t{0}M\t*\t0\t0\t{1}\t*\n",
                     letters, genome);
  add("next", 4, "*", 0, "ACGT");
  for (const char* option : {"no_ref=1", "no_ref=0"}) {
    const Parsed parsed = parse(cram({option}), reference_);
    EXPECT_FALSE(parsed.error) << option << parsed.error->what();
    EXPECT_TRUE(parsed.rows == expected()) << option;
  }
}

// All that htslib would use: the header names the reference's path (UR) and MD5 (M5), the
// environment a folder that has it by its MD5.
TEST_F(Cram, NothingIsLookedUp) {
  const std::string content = cram({"version=3.0"});
  for (const std::string& letters : {first_, second_}) {
    hts_md5_context* const md5 = hts_md5_init();
    std::array<unsigned char, 16> digest{};
    std::array<char, 33> hex{};
    hts_md5_update(md5, letters.data(), letters.size());
    hts_md5_final(digest.data(), md5);
    hts_md5_hex(hex.data(), digest.data());
    hts_md5_destroy(md5);
    folder_.write(hex.data(), letters);
  }
  std::optional<ScopedVariable> path(std::in_place, "REF_PATH", folder_.path("%s"));
  std::optional<ScopedVariable> cache(std::in_place, "REF_CACHE", folder_.path("%s"));
  {  // htslib does find it
    htsFile* const file = hts_open(folder_.write("control.cram", content).c_str(), "r");
    sam_hdr_t* const header = sam_hdr_read(file);
    bam1_t* const record = bam_init1();
    EXPECT_GE(sam_read1(file, header, record), 0);
    bam_destroy1(record);
    sam_hdr_destroy(header);
    hts_close(file);
  }
  const Parsed parsed = parse(content);
  path.reset();
  cache.reset();
  expect_error(parsed, ErrorKind::kInputReference, "give --reference FILE");
  EXPECT_THAT(parsed.rows, IsEmpty());
  EXPECT_EQ(parsed.error->place().record, 1U);
  // Nor only by the path.
  expect_error(parse(content), ErrorKind::kInputReference, "give --reference FILE");
}

TEST_F(Cram, AnotherReference) {
  std::string other = second_;
  other[500] = other[500] == 'A' ? 'C' : 'A';
  const std::string changed =
      folder_.write("changed.fa", ">r1\n" + first_ + "\n>r2\n" + other + "\n");
  const std::string lacking = folder_.write("lacking.fa", ">r1\n" + first_ + "\n");
  for (const char* slices : {"multi_seq_per_slice=0", "multi_seq_per_slice=1"}) {
    const std::string content = cram({slices});
    expect_error(parse(content, changed), ErrorKind::kInputReference,
                 "r2 of the reference is not the one that");
    expect_error(parse(content, lacking), ErrorKind::kInputReference,
                 "the reference has no sequence r2");
  }
}

// htslib checks the MD5 only of slices that are on one sequence.
// The decoder takes the reference's letters for its MD5 in pieces of this size.
TEST_F(Cram, AReferenceOfWholePieces) {
  const std::string letters = random_letters(1U << 20U, 5);
  reference_ = folder_.write("pieces.fa", ">r\n" + letters + "\n");
  sam_ = "@HD\tVN:1.6\n@SQ\tSN:r\tLN:1048576\n";
  add("a", 0, "r", 1, letters.substr(0, 100));
  const Parsed parsed = parse(cram(), reference_);
  EXPECT_FALSE(parsed.error) << parsed.error->what();
  EXPECT_THAT(parsed.rows, SizeIs(1));
}

TEST_F(Cram, AReferenceThatCannotBeHeldToAnMd5) {
  const auto without_md5 = [this](std::initializer_list<const char*> options) {
    const std::string content = cram(options);
    MemorySource source(content);
    ByteWindow window(source);
    std::string changed = read_cram_definition(window);
    const std::size_t rest = changed.size() + read_cram_header(window).bytes.size();
    const std::string text = sam_.substr(0, sam_.find("a\t0"));
    const auto size = static_cast<char>(text.size());  // numbers of one byte
    const auto whole = static_cast<char>(size + 4);
    changed += {static_cast<char>(size + 13), 0, 0, 0};          // the container
    changed += {0, 0, 0, 0, 0, 0, 1, 1, 0, '?', '?', '?', '?'};  // one block, one landmark
    changed += {0, 0, 0, whole, whole, size, 0, 0, 0};           // stored
    changed += text + "????" + content.substr(rest);
    repair_cram(changed);
    return changed;
  };
  expect_error(parse(without_md5({"multi_seq_per_slice=1"}), reference_),
               ErrorKind::kInputReference, "names no MD5");
  for (const std::string& content :
       {without_md5({}), without_md5({"no_ref=1", "multi_seq_per_slice=1"})}) {
    const Parsed parsed = parse(content, reference_);
    EXPECT_FALSE(parsed.error) << parsed.error->what();
    EXPECT_EQ(parsed.rows, expected());
  }
}

// No reference would help here.
TEST_F(Cram, DamageThatIsNoLackOfAReference) {
  const std::string content = cram({"no_ref=1", "seqs_per_slice=1000"});
  std::string changed = content;
  const std::size_t at = content.find("RR") + 100;
  for (std::size_t i = 0; i < 40; ++i) changed[at + i] = static_cast<char>(changed[at + i] ^ 0x55);
  repair_cram(changed);
  const Parsed parsed = parse(changed);
  ASSERT_TRUE(parsed.error);
  EXPECT_NE(parsed.error->kind(), ErrorKind::kInputReference) << parsed.error->what();
}

TEST_F(Cram, ReferencesThatCannotBe) {
  const std::string content = cram();
  expect_error(parse(content, folder_.path("none")), ErrorKind::kInputMissing, "none");
  expect_error(parse(content, "https://example.org/r.fa"), ErrorKind::kInputMissing, "https:");
  expect_error(parse(content, folder_.path("")), ErrorKind::kInputReference, "regular");
  expect_error(parse(content, folder_.write("bad", std::string(100, '\x01'))),
               ErrorKind::kInputReference, "cannot be indexed");
  expect_error(parse(content, folder_.write("r.gz", gzip(">r1\nACGT\n"))),
               ErrorKind::kInputReference, "cannot be indexed");
}

TEST_F(Cram, AReferenceWithManyMoreSequencesThanItsHeader) {
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += fmt::format(">x{}\nA\n", i);
  const std::string reference = folder_.write("many.fa", many + read_text(reference_));
  EXPECT_EQ(parse(cram(), reference).rows, expected());
}

TEST_F(Cram, ATemporaryFolderThatIsNotThere) {
  const std::string content = cram();
  const ScopedVariable elsewhere("TMPDIR", folder_.path("none"));
  const Parsed parsed = parse(content, reference_);
  expect_error(parsed, ErrorKind::kTemporaryFolder, "none: the temporary folder cannot be used");
}

TEST_F(Cram, ReferenceIsIndexedElsewhere) {
  const std::string content = cram();
  std::filesystem::remove(reference_ + ".fai");
  EXPECT_EQ(parse(content, reference_).rows, expected());
  EXPECT_FALSE(std::filesystem::exists(reference_ + ".fai"));
  const std::string packed = folder_.write("r.fa.gz", compressed({read_text(reference_)}, "w"));
  EXPECT_EQ(parse(content, packed).rows, expected());
  EXPECT_FALSE(std::filesystem::exists(packed + ".gzi"));
}

// A CRAM at whose end its reference is written to.
class WritingSource : public MemorySource {
 public:
  WritingSource(std::string text, std::string reference)
      : MemorySource(std::move(text)), reference_(std::move(reference)) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = MemorySource::read(buffer);
    if (size == 0) {
      std::filesystem::last_write_time(
          reference_, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    }
    return size;
  }

 private:
  std::string reference_;
};

TEST_F(Cram, TheReferenceMayNotChangeMeanwhile) {
  const Cancel cancel;
  WritingSource source(cram(), reference_);
  ReferenceIndex index(reference_);
  CramReader reader(source, "file", index, cancel);
  const Parsed parsed = parse_all(reader);
  expect_error(parsed, ErrorKind::kInputChanged, "it was written to");
  EXPECT_EQ(parsed.error->place().file, reference_);
}

// Whatever it is: of another file, or a pipe, where opening it would wait for ever.
TEST_F(Cram, AnIndexBesideTheReferenceIsNotOpened) {
  const std::string content = cram();
  folder_.write("reference.fa.fai", "r1\t7\t1\t7\t8\n");
  EXPECT_EQ(parse(content, reference_).rows, expected());
  std::filesystem::remove(reference_ + ".fai");
  ASSERT_EQ(::mkfifo((reference_ + ".fai").c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo((reference_ + ".gzi").c_str(), 0666), 0);
  EXPECT_EQ(parse(content, reference_).rows, expected());
}

TEST_F(Cram, EveryCut) {
  const std::string content = cram({"seqs_per_slice=4"});
  const std::size_t most = test_length() == TestLength::kCheck ? 23 : 7;
  for (std::size_t size = 4; size < content.size(); size += size % most + 1) {
    const Parsed parsed = parse(content.substr(0, size), reference_);
    ASSERT_TRUE(parsed.error) << size;
    EXPECT_EQ(parsed.error->kind(), ErrorKind::kInputTruncated) << parsed.error->what();
    EXPECT_EQ(parsed.error->place().offset, size);
    EXPECT_TRUE(parsed.error->place().record);
  }
}

TEST_F(Cram, EveryChangedByte) {
  const std::string content = cram({"no_ref=1"});
  const std::size_t most = test_length() == TestLength::kCheck ? 23 : 5;
  for (std::size_t at = 26; at < content.size(); at += at % most + 1) {
    std::string changed = content;
    changed[at] = static_cast<char>(changed[at] ^ 0x11);
    EXPECT_TRUE(parse(changed).error) << at;
  }
}

TEST_F(Cram, SomethingBehindTheEnd) {
  const std::string content = cram({"no_ref=1"});
  for (const std::string& more : {std::string("x"), content}) {
    const Parsed parsed = parse(content + more);
    expect_error(parsed, ErrorKind::kInputCorrupt, "after the end container");
    EXPECT_EQ(parsed.error->place().offset, content.size());
  }
}

TEST_F(Cram, CountsThatCannotBe) {
  // Size, then reference, start, span, records, counter, bases, blocks and slices.
  const std::string start = std::string("CRAM\3\0", 6) + std::string(20, '\0');
  const std::string container(
      "\x09\0\0\0"
      "\0\0\0\1\0\0",
      10);
  expect_error(parse(start + container + "\1\2"), ErrorKind::kInputMalformed,
               "1 blocks and 2 slices");
  expect_error(parse(start + container + "\x0a\1"), ErrorKind::kInputMalformed,
               "9 bytes with 10 blocks");
}

// Replaces `part`, which occurs once, and corrects the checksums.
std::string crafted(std::string content, std::string_view part, std::string_view by) {
  const std::size_t at = content.find(part);
  EXPECT_NE(at, std::string::npos);
  EXPECT_EQ(content.find(part, at + 1), std::string::npos);
  content.replace(at, part.size(), by);
  repair_cram(content);
  return content;
}

// The header's length is wrong, the reference's is right.
TEST_F(Cram, AHeaderWithAnotherLengthThanTheReference) {
  for (const char* length : {"LN:0050", "LN:9999"}) {
    const Parsed parsed = parse(crafted(cram({"level=0"}), "LN:2000", length), reference_);
    EXPECT_FALSE(parsed.error) << parsed.error->what();
    EXPECT_EQ(parsed.rows, expected()) << length;
  }
}

TEST_F(Cram, RepairLeavesAWholeFileAsItIs) {
  const std::string content = cram();
  std::string repaired = content;
  repair_cram(repaired);
  EXPECT_EQ(repaired, content);
}

TEST_F(Cram, AHeaderThatCannotBeDecoded) {
  const std::string content = crafted(cram({"no_ref=1"}), "@HD\tVN", "@HDxxVN");
  for (int i = 0; i < 20; ++i) {  // with any container on its way when the decoder fails
    const Parsed parsed = parse(content);
    expect_error(parsed, ErrorKind::kInputCorrupt, "the CRAM's header cannot be decoded");
    EXPECT_EQ(parsed.error->place().record, 1U);
    EXPECT_EQ(parsed.error->place().offset, 26U);
  }
}

TEST_F(Cram, ContainersThatCountWrongly) {
  sam_ = "@HD\tVN:1.6\n";
  for (const char* name : {"a", "b", "c"}) add(name, 4, "*", 0, "ACGT");
  const std::string content = cram();
  constexpr auto kThree = "\x0f\0\1\3\0\x0c"sv;  // reference, start, span, records, number, bases
  const Parsed more = parse(crafted(content, kThree, "\x0f\0\1\4\0\x0c"sv));
  expect_error(more, ErrorKind::kInputCorrupt, "record 4, byte ");
  EXPECT_THAT(more.rows, SizeIs(3));
  const Parsed fewer = parse(crafted(content, kThree, "\x0f\0\1\2\0\x0c"sv));
  expect_error(fewer, ErrorKind::kInputCorrupt, "more records than its header says");
}

// With any container on its way when the first one turns out to be wrong.
TEST_F(Cram, AContainerThatCountsWronglyBeforeAnother) {
  sam_ = "@HD\tVN:1.6\n";
  for (const char* name : {"a", "b", "c", "d"}) add(name, 4, "*", 0, "ACGT");
  const std::string content = cram({"seqs_per_slice=3"});
  constexpr auto kThree = "\x0f\0\1\3\0\x0c"sv;
  for (int i = 0; i < 20; ++i) {
    const Parsed fewer = parse(crafted(content, kThree, "\x0f\0\1\4\0\x0c"sv));
    expect_error(fewer, ErrorKind::kInputCorrupt, "fewer records than its header says");
    EXPECT_THAT(fewer.rows, SizeIs(3));
    const Parsed more = parse(crafted(content, kThree, "\x0f\0\1\2\0\x0c"sv));
    expect_error(more, ErrorKind::kInputCorrupt, "more records than its header says");
    EXPECT_THAT(more.rows, SizeIs(2));
    EXPECT_EQ(more.error->place().record, 3U);
    EXPECT_EQ(more.error->place().offset, fewer.error->place().offset);
  }
}

// The error comes after the same records, with the file's own place.
TEST_F(Cram, AContainerThatCountsWronglyBeforeACut) {
  sam_ = "@HD\tVN:1.6\n";
  for (const char* name : {"a", "b", "c"}) add(name, 4, "*", 0, "ACGT");
  constexpr auto kThree = "\x0f\0\1\3\0\x0c"sv;
  const std::string content = crafted(cram(), kThree, "\x0f\0\1\2\0\x0c"sv);
  const Parsed parsed = parse(content.substr(0, content.size() - 1));
  expect_error(parsed, ErrorKind::kInputCorrupt, "more records than its header says");
  EXPECT_EQ(parsed.error->place().record, 3U);
}

// It decodes for so long that it is still there.
TEST_F(Cram, TheDecoderIsHeldIn) {
  for (int i = 0; i < 3000; ++i) add(fmt::format("x{}", i), 4, "*", 0, random_letters(1500, 7));
  const std::string content = cram({"no_ref=1", "seqs_per_slice=100"});
  const UniqueFd kept(::open("/dev/null", O_RDONLY));  // like the lock of an output folder
  const Cancel cancel;
  MemorySource source(content);
  ReferenceIndex none("");
  CramReader reader(source, "file", none, cancel);
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(read_text(place_of_child() / "status"),
              AllOf(HasSubstr("\nNoNewPrivs:\t1\n"), HasSubstr("\nSeccomp:\t2\n")));
  const std::string limits = read_text(place_of_child() / "limits");
  EXPECT_THAT(limits, ContainsRegex("Max cpu time +[0-9]+ "));
  EXPECT_THAT(limits, ContainsRegex("Max data size +[0-9]+ "));
  EXPECT_THAT(limits, ContainsRegex("Max open files +0 "));
  for (const auto& entry : std::filesystem::directory_iterator(place_of_child() / "fd")) {
    EXPECT_THAT(entry.path().filename().string(), AnyOf("0", "1", "2"));
  }
}

TEST_F(Cram, OldVersions) {
  expect_error(parse(cram({"version=2.1"}), reference_), ErrorKind::kInputFormat,
               "CRAM 2.1 cannot be read");
}

}  // namespace
}  // namespace virnucpro
