#include "sequence/input_set.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "unit/sequence/alignment_file.hpp"
#include "unit/sequence/compressed_file.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string shown(const InputEvent& event) {
  if (const auto* record = std::get_if<InputRecord>(&event)) {
    return std::to_string(record->input) + " " + record->id + " " +
           std::to_string(record->record.number) + " " + record->record.letters;
  }
  if (const auto* end = std::get_if<InputEnd>(&event)) {
    return std::to_string(end->input) + " end " + std::to_string(end->records) + " " +
           std::to_string(end->bytes);
  }
  const auto& failure = std::get<InputFailure>(event);
  return std::to_string(failure.input) + " failed " + std::to_string(failure.records) + " " +
         std::string(failure.error.info().name);
}

Error first_failure(InputSettings settings) {
  const Cancel cancel;
  return std::get<InputFailure>(*InputSet(std::move(settings), cancel).next()).error;
}

std::vector<std::string> events(InputSettings settings) {
  const Cancel cancel;
  InputSet inputs(std::move(settings), cancel);
  std::vector<std::string> all;
  while (const auto event = inputs.next()) all.push_back(shown(*event));
  EXPECT_FALSE(inputs.next());
  return all;
}

class Inputs : public ::testing::Test {
 protected:
  std::string write(std::string_view name, std::string_view text) const {
    return folder_.write(name, text);
  }
  TestFolder folder_;
  const Cancel cancel_{};
};

TEST_F(Inputs, NoneIsNoEvent) {
  EXPECT_THAT(events({}), IsEmpty());
}

TEST_F(Inputs, SeveralInOrderWithTheirEnds) {
  const std::string a = write("a", ">x 1\nAC\n>y\nG\n");
  const std::string b = write("b", gzip("@z\nTT\n+\nII\n"));
  const std::string c = write("c", "");
  EXPECT_THAT(events({.paths = {a, b, c}}), ElementsAre("0 x 1 AC", "0 y 2 G", "0 end 2 13",
                                                        "1 z 1 TT", "1 end 1 11", "2 end 0 0"));
}

TEST_F(Inputs, TellHowMuchOfTheFilesWasRead) {
  const std::string bytes = gzip(">b\n" + std::string(100'000, 'A') + "\n");
  InputSet inputs(
      {.paths = {write("a", ">a\nAC\n"), write("b", bytes), write("cut", bytes.substr(0, 40))}},
      cancel_);
  const std::uint64_t total = 6 + bytes.size() + 40;
  EXPECT_EQ(inputs.total_bytes(), total);
  EXPECT_EQ(inputs.bytes_read(), 0U);
  std::uint64_t before = 0;
  while (inputs.next()) {
    EXPECT_GE(inputs.bytes_read(), before);
    EXPECT_LE(inputs.bytes_read(), total);
    before = inputs.bytes_read();
  }
  EXPECT_EQ(before, total) << "also of what was damaged";
}

TEST_F(Inputs, HaveNoLengthWhereOneIsNoFile) {
  EXPECT_EQ(InputSet({.paths = {write("a", ">a\nAC\n"), "-"}}, cancel_).total_bytes(), 0U);
  EXPECT_EQ(InputSet({.paths = {folder_.path("none")}}, cancel_).total_bytes(), 0U);
}

TEST_F(Inputs, HashIsOfTheText) {
  const std::string text = ">x\nACGT\n";
  for (const std::string& content : {text, gzip(text), compressed({text}, "w")}) {
    InputSet inputs({.paths = {write("a", content)}}, cancel_);
    inputs.next();
    EXPECT_EQ(std::get<InputEnd>(*inputs.next()).hash, content_hash(text));
  }
}

TEST_F(Inputs, AFailureVoidsOneInputAndTheNextGoesOn) {
  const std::string cut = gzip(">x\nAC\n>y\nGT\n");
  const std::string good = write("good", ">g\nA\n");
  EXPECT_THAT(events({.paths = {folder_.path("none"), good, write("cut", cut.substr(0, 30)),
                                write("bad", "@x\nA\n+\nI\n@y\nAC\n+\nI\n"), good}}),
              ElementsAre("0 failed 0 input-missing", "1 g 1 A", "1 end 1 5", "2 x 1 AC",
                          "2 failed 1 input-truncated", "3 x 1 A", "3 failed 1 input-truncated",
                          "4 g 1 A", "4 end 1 5"));
}

TEST_F(Inputs, FailuresNameTheFile) {
  const std::string none = folder_.path("none");
  InputSet inputs({.paths = {none}}, cancel_);
  EXPECT_EQ(inputs.size(), 1U);
  EXPECT_EQ(inputs.name(0), none);
  EXPECT_THAT(std::get<InputFailure>(*inputs.next()).error.what(),
              StartsWith(none + ": input not found"));
}

constexpr std::string_view kSam =
    "@HD\tVN:1.6\n"
    "a\t77\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n"
    "a\t141\t*\t0\t0\t*\t*\t0\t0\tGGT\tIII\n"
    "a\t333\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n"
    "b\t4\t*\t0\t0\t*\t*\t0\t0\tT\tI\n";

TEST_F(Inputs, AlignmentsInEveryForm) {
  const std::string sam = write("sam", kSam);
  const std::string packed = write("sam.gz", gzip(kSam));
  const std::string blocks = write("sam.bgz", compressed({kSam}, "w"));
  const std::string size = std::to_string(kSam.size());
  EXPECT_THAT(events({.paths = {sam, packed, blocks}}),
              ElementsAre("0 a/1 1 AC", "0 a/2 2 GGT", "0 b 4 T", "0 end 3 " + size,  //
                          "1 a/1 1 AC", "1 a/2 2 GGT", "1 b 4 T", "1 end 3 " + size, "2 a/1 1 AC",
                          "2 a/2 2 GGT", "2 b 4 T", "2 end 3 " + size));
  const std::string stored = write("stored", written_by_htslib(kSam, "wb0"));
  for (const std::string& path : {write("bam", bam(kSam)), stored}) {
    EXPECT_THAT(events({.paths = {path}}),
                ElementsAre("0 a/1 1 AC", "0 a/2 2 GGT", "0 b 4 T", StartsWith("0 end 3 ")));
  }
}

TEST_F(Inputs, ACramIsNotReadOutOfGzip) {
  const std::string cram = written_by_htslib(kSam, "wc");
  EXPECT_THAT(events({.paths = {write("cram", cram)}}), testing::SizeIs(4));
  EXPECT_THAT(events({.paths = {write("cram.gz", gzip(cram))}}),
              ElementsAre("0 failed 0 input-format"));
}

TEST_F(Inputs, SkippedAlignmentsAreInTheEnd) {
  InputSet inputs({.paths = {write("bam", bam(kSam))}}, cancel_);
  for (int i = 0; i < 3; ++i) inputs.next();
  const auto event = inputs.next();
  EXPECT_EQ(std::get<InputEnd>(*event).skipped.secondary, 1U);
  EXPECT_EQ(std::get<InputEnd>(*event).skipped.supplementary, 0U);
}

TEST_F(Inputs, EveryCutOfABamIsFound) {
  const std::string whole = bam(kSam);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::vector<std::string> all = events({.paths = {write("cut", whole.substr(0, size))}});
    EXPECT_THAT(all.back(), EndsWith("input-truncated")) << size;
  }
}

TEST_F(Inputs, ABamThatIsNotCompressed) {
  const std::string path = write("bam", std::string("BAM\1\0\0\0\0\0\0\0\0", 12));
  EXPECT_THAT(events({.paths = {path}}), ElementsAre("0 failed 0 input-format"));
}

TEST_F(Inputs, AlignmentsAreNoPairs) {
  const std::string fastq = write("fq", "@a\nA\n+\nI\n");
  const std::string path = write("bam", bam(kSam));
  for (const auto& paths : {std::vector{path, fastq}, std::vector{fastq, path}}) {
    EXPECT_EQ(
        first_failure({.paths = paths, .paired = true}).what(),
        path +
            ": the command line cannot be used: this file is BAM, which already names the mates: "
            "leave --paired out");
  }
}

TEST_F(Inputs, AGzipCutInHalfNamesRecordAndByte) {
  const std::string whole = read_text(VIRNUCPRO_SOURCE_DIR "/share/virnucpro/lambda.fa.gz");
  const std::string path = write("cut", whole.substr(0, whole.size() / 2));
  const Error error = first_failure({.paths = {path}});
  EXPECT_EQ(error.kind(), ErrorKind::kInputTruncated);
  EXPECT_EQ(error.place().file, path);
  EXPECT_EQ(error.place().record, 1U);
  EXPECT_EQ(error.place().offset, 24'081U);  // as in Python's zlib.decompressobj
}

// The first record of a rewritten file is longer: the parser meets the old half and the new one.
TEST_F(Inputs, WhatSeemsDamagedMayHaveChanged) {
  std::string fastq;
  for (int i = 0; i < 20'000; ++i) fastq += "@a\nAC\n+\nII\n";
  const std::string path = write("fq", fastq);
  InputSet inputs({.paths = {path}}, cancel_);
  ASSERT_TRUE(std::holds_alternative<InputRecord>(*inputs.next()));
  fastq.replace(3, 2, "ACG");
  fastq.pop_back();
  write("fq", fastq);
  std::optional<InputEvent> event = inputs.next();
  while (std::holds_alternative<InputRecord>(*event)) event = inputs.next();
  const Error error = std::get<InputFailure>(*event).error;
  EXPECT_EQ(error.kind(), ErrorKind::kInputChanged) << error.what();
  EXPECT_EQ(error.place().file, path);
  EXPECT_GT(error.place().record, 1U);
  EXPECT_FALSE(inputs.next());
}

TEST_F(Inputs, EitherMateMayHaveChanged) {
  const std::string fastq = "@a\nA\n+\nI\n@b\nA\n+\nI\n";
  for (const char* changed : {"r1", "r2"}) {
    const std::string first = write("r1", fastq);
    const std::string second = write("r2", fastq);
    InputSet inputs({.paths = {first, second}, .paired = true}, cancel_);
    ASSERT_TRUE(inputs.next());
    write(changed, fastq + fastq);
    for (int i = 0; i < 3; ++i) inputs.next();
    const std::optional<InputEvent> event = inputs.next();
    ASSERT_TRUE(std::holds_alternative<InputFailure>(*event)) << changed;
    const Error error = std::get<InputFailure>(*event).error;
    EXPECT_EQ(error.kind(), ErrorKind::kInputChanged) << error.what();
    EXPECT_EQ(error.place().file, folder_.path(changed));
  }
}

TEST_F(Inputs, PairsAlternate) {
  const std::string r1 = write("r1", "@a 1:N:0:A x\nA\n+\nI\n@b\nC\n+\nI\n");
  const std::string r2 = write("r2", "@a 2:N:0:A x\nG\n+\nI\n@b\nT\n+\nI\n");
  EXPECT_THAT(events({.paths = {r1, r2, r1, r2}, .paired = true}),
              ElementsAre("0 a/1 1 A", "0 a/2 2 G", "0 b/1 3 C", "0 b/2 4 T", "0 end 4 56",
                          "1 a/1 1 A", "1 a/2 2 G", "1 b/1 3 C", "1 b/2 4 T", "1 end 4 56"));
  EXPECT_EQ(InputSet({.paths = {r1, r2}, .paired = true}, cancel_).name(0), r1 + "+" + r2);
}

TEST_F(Inputs, BgzfWithoutItsEndMarkerIsWholeIfItIsFastq) {
  const auto without_end = [](const std::string& text) {
    const std::string whole = compressed({text}, "w");
    return whole.substr(0, whole.size() - 28);
  };
  const std::string fastq = "@a\nAC\n+\nII\n";
  const std::string good = write("a.fq", without_end(fastq));
  EXPECT_THAT(events({.paths = {good, write("b.fq", without_end(fastq + "@b\nAC\n+\nI")),
                                write("c.fa", without_end(">a\nAC\n"))}}),
              ElementsAre("0 a 1 AC", "0 end 1 11", "1 a 1 AC", "1 failed 1 input-truncated",
                          "2 a 1 AC", "2 failed 1 input-truncated"));
  EXPECT_THAT(events({.paths = {good, write("d.fq", without_end(fastq))}, .paired = true}),
              ElementsAre("0 a/1 1 AC", "0 a/2 2 AC", "0 end 2 22"));
}

TEST_F(Inputs, RnaFailsBeforeItsFirstRecord) {
  std::string rna;
  for (int i = 0; i < 1500; ++i) rna += ">r" + std::to_string(i) + "\nACGU\n";
  const std::string dna = ">a\nNN\n>b\nACGT\n>c\nACGU\n";
  InputSettings settings{.paths = {write("rna", rna), write("dna", dna)}, .refuse_rna = true};
  EXPECT_THAT(events(settings), ElementsAre("0 failed 1000 input-rna", "1 a 1 NN", "1 b 2 ACGT",
                                            "1 c 3 ACGU", "1 end 3 22"));
  settings.refuse_rna = false;
  settings.paths.pop_back();
  EXPECT_EQ(events(settings).size(), 1501U);
}

// However many records without T or U come first.
TEST_F(Inputs, RnaIsJudgedByWhatHasTOrU) {
  std::string text;
  for (int i = 0; i < 120'000; ++i) text += ">n\nN\n";
  for (int i = 0; i < 20; ++i) text += ">r\nACGU\n";
  const auto found = events({.paths = {write("late", text)}, .refuse_rna = true});
  EXPECT_EQ(found.back(), "0 failed 120020 input-rna");
}

// A forecast compares records with the bytes read, so those held back for the judgement do not
// count.
TEST_F(Inputs, WhatIsHeldBackIsNotReadYet) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += ">n\n" + std::string(60, 'C') + "\n";
  InputSet inputs({.paths = {write("a", text)}, .refuse_rna = true}, cancel_);
  for (int i = 0; i < 10'000; ++i) inputs.next();
  EXPECT_NEAR(static_cast<double>(inputs.bytes_read()), static_cast<double>(text.size()) / 4, 1e6);
}

TEST_F(Inputs, HeadersMayBeKeptToTheirId) {
  InputSet inputs({.paths = {write("a", "> id tag\nAC\n")}, .headers = Headers::kIdAlone}, cancel_);
  EXPECT_EQ(std::get<InputRecord>(*inputs.next()).record.header, "id");
}

TEST_F(Inputs, PairsThatAreNone) {
  const std::string two = write("two", "@a\nA\n+\nI\n@b\nC\n+\nI\n");
  const std::string one = write("one", "@a\nA\n+\nI\n");
  const std::string other = write("other", "@a\nA\n+\nI\n@c\nC\n+\nI\n");
  const std::string swapped = write("swapped", "@a/2\nA\n+\nI\n");
  const auto pair = [](const std::string& r1, const std::string& r2) {
    return events({.paths = {r1, r2}, .paired = true});
  };
  EXPECT_THAT(pair(two, one), ElementsAre("0 a/1 1 A", "0 a/2 2 A", "0 failed 2 input-truncated"));
  EXPECT_THAT(pair(one, two), ElementsAre("0 a/1 1 A", "0 a/2 2 A", "0 failed 2 input-truncated"));
  EXPECT_THAT(pair(two, other),
              ElementsAre("0 a/1 1 A", "0 a/2 2 A", "0 failed 2 input-malformed"));
  EXPECT_THAT(pair(swapped, one), ElementsAre("0 failed 0 input-malformed"));
  EXPECT_THAT(pair(one, folder_.path("none")), ElementsAre("0 failed 0 input-missing"));
}

TEST_F(Inputs, PairsAreFastq) {
  const std::string fasta = write("r.fa", ">a\nA\n");
  const std::string fastq = write("r.fq", "@a\nA\n+\nI\n");
  for (const auto& paths : {std::vector{fasta, fastq}, std::vector{fastq, fasta}}) {
    EXPECT_EQ(
        first_failure({.paths = paths, .paired = true}).what(),
        fasta +
            ": record 1, byte 0: the command line cannot be used: this file is FASTA; --paired "
            "takes FASTQ only");
  }
}

TEST_F(Inputs, AMismatchOfMatesHasItsPlace) {
  const std::string r1 = write("r1", "@a\nA\n+\nI\n@b\nC\n+\nI\n");
  const std::string r2 = write("r2", "@a\nA\n+\nI\n\n@c\nC\n+\nI\n");
  InputSet inputs({.paths = {r1, r2}, .paired = true}, cancel_);
  inputs.next();
  inputs.next();
  EXPECT_THAT(std::get<InputFailure>(*inputs.next()).error.what(),
              StartsWith(r2 + ": record 2, byte 10: "));
}

TEST_F(Inputs, AnEmptyNameIsQuoted) {
  InputSet inputs({.paths = {""}}, cancel_);
  EXPECT_EQ(inputs.name(0), "\"\"");
  EXPECT_THAT(std::get<InputFailure>(*inputs.next()).error.what(),
              StartsWith("\"\": input not found"));
}

TEST_F(Inputs, OneFileIsNoPair) {
  const std::string file = write("r1", "@a\nA\n+\nI\n");
  for (const auto& other : {file, folder_.path("./r1")}) {
    EXPECT_EQ(thrown_kind([&] {
                InputSet({.paths = {file, other}, .paired = true}, cancel_);
              }),
              ErrorKind::kUsage)
        << other;
  }
  EXPECT_NO_THROW(InputSet({.paths = {file, file}}, cancel_));
}

TEST_F(Inputs, BadUsage) {
  EXPECT_THROW(InputSet({.paths = {"-", "-"}}, cancel_), Error);
  EXPECT_THROW(InputSet({.paths = {"a"}, .paired = true}, cancel_), Error);
}

TEST_F(Inputs, Stdin) {
  const std::string path = write("in", compressed({">s\nACG\n"}, "w"));
  const UniqueFd saved(::dup(STDIN_FILENO));
  {
    const UniqueFd file(::open(path.c_str(), O_RDONLY));
    ASSERT_GE(::dup2(file.get(), STDIN_FILENO), 0);
  }
  EXPECT_THAT(events({.paths = {"-"}}), ElementsAre("0 s 1 ACG", "0 end 1 7"));
  if (saved.get() >= 0) {
    ::dup2(saved.get(), STDIN_FILENO);
  }
}

TEST_F(Inputs, CancelledBetweenRecords) {
  Cancel cancel;
  InputSet inputs({.paths = {write("a", ">x\nA\n>y\nC\n")}}, cancel);
  inputs.next();
  cancel.request(0);
  EXPECT_THROW(inputs.next(), Error);
}

TEST_F(Inputs, WithALongerIdThanAllowedFail) {
  const std::string id(kLongestId, 'i');
  const std::string file = write("ids", ">" + id + " and a word\nAC\n>" + id + "2\nGT\n>c\nA\n");
  EXPECT_EQ(events({.paths = {file}}),
            (std::vector<std::string>{"0 " + id + " 1 AC", "0 failed 1 input-malformed"}));
  const Error error = first_failure({.paths = {file}, .longest_id = 4});
  EXPECT_EQ(error.place().file, file);
  EXPECT_EQ(error.place().record, 1U);
  EXPECT_THAT(error.detail(), ::testing::HasSubstr("--max-id-length"));
  EXPECT_EQ(events({.paths = {file}, .longest_id = kLongestHeader}).size(), 4U);
}

// Only mates must be two files: one file may be in two pairs.
TEST(RequireUsable, ComparesTheFilesOfAPairAlone) {
  const auto why = [](const std::vector<std::string>& paths) {
    return reason_of(ErrorKind::kUsage, [&] { require_usable({.paths = paths, .paired = true}); });
  };
  EXPECT_EQ(why({"a_R1.fq", "a_R2.fq", "a_R1.fq", "b_R2.fq"}), "");
  EXPECT_EQ(why({"a_R1.fq", "a_R2.fq", "a_R2.fq", "b_R2.fq"}), "");
  EXPECT_EQ(why({"a_R1.fq", "a_R2.fq", "b.fq", "b.fq"}),
            "--paired: R1 and R2 are the same file, b.fq");
  EXPECT_THAT(why({"a_R1.fq", "a_R2.fq", "b.fq"}), StartsWith("--paired needs an even number"));
  EXPECT_EQ(why({"-", "b.fq", "-", "c.fq"}), "stdin (-) can be read only once");
}

}  // namespace
}  // namespace virnucpro
