#include "sequence/fasta_index.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <htslib/faidx.h>

#include <random>
#include <string>

#include "base/error.hpp"
#include "unit/sequence/compressed_file.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

class FastaIndex : public testing::Test {
 protected:
  FastaFacts index(const std::string& content) const {
    return write_fasta_index(open_to_read(folder_.write("given", content), 0), folder_.path("own"),
                             Cancel());
  }
  std::string fai() const { return read_text(folder_.path("own.fai")); }

  void expect_refused(const std::string& content, const std::string& reason) const {
    EXPECT_THAT(reason_of(ErrorKind::kInputReference, [&] { index(content); }), HasSubstr(reason))
        << content;
    EXPECT_FALSE(std::filesystem::exists(folder_.path("own.fai")));
  }

  TestFolder folder_;
};

std::string random_fasta(std::mt19937& random, std::size_t sequences) {
  const auto below = [&random](std::size_t end) { return random() % end; };
  std::string text(below(2), '\n');
  const std::string end = below(2) == 0 ? "\n" : "\r\n";
  for (std::size_t i = 0; i < sequences; ++i) {
    text += ">s" + std::to_string(i) + (below(2) == 0 ? " more > of it" : "") + end;
    const std::size_t line = 1 + below(70);
    for (std::size_t full = below(5000); full > 0; --full) text += std::string(line, 'C') + end;
    text += std::string(1 + below(line), 'G') + end + (below(2) == 0 ? end : "");
  }
  if (below(2) == 0) text.resize(text.find_last_of('G') + 1);
  return text;
}

// Each window of a power of two ends between a line's two end bytes.
TEST_F(FastaIndex, KnowsAnEndOfLineInTwoWindows) {
  std::string text = ">" + std::string(62, 's') + "\r\n";
  for (int line = 0; line < 20'000; ++line) text += std::string(62, 'C') + "\r\n";
  index(text);
  EXPECT_EQ(fai(), std::string(62, 's') + "\t1240000\t65\t62\t64\n");
}

// samtools faidx is the oracle, also of texts that are longer than a window.
TEST_F(FastaIndex, IsThatOfHtslib) {
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    const std::string text = random_fasta(random, 1 + random() % 5);
    for (const std::string& content : {text, compressed({text, ""}, "w")}) {
      const std::string given = folder_.write("htslib.fa", content);
      ASSERT_EQ(fai_build3(given.c_str(), nullptr, nullptr), 0);
      index(content);
      EXPECT_EQ(fai(), read_text(given + ".fai"));
      if (content == text) continue;
      EXPECT_TRUE(read_text(folder_.path("own.gzi")) == read_text(given + ".gzi"));
    }
  }
}

TEST_F(FastaIndex, CountsLetters) {
  const FastaFacts sizes = index(">a\nACGT\nAC\n>b\n>c\nACG");
  EXPECT_EQ(sizes.letters, 9U);
  EXPECT_EQ(sizes.longest, 6U);
  EXPECT_EQ(fai(), "a\t6\t3\t4\t5\nc\t3\t17\t3\t3\n");
}

TEST_F(FastaIndex, OfWhatIsNoReference) {
  expect_refused("", "no sequence");
  expect_refused(">a\n>b\n", "no sequence");
  expect_refused("ACGT\n", "begin with '>'");
  expect_refused("@a\nACGT\n+\nIIII\n", "begin with '>'");
  expect_refused(">a\nAC\nACG\n", "sequence a has lines of different lengths");
  expect_refused(">a\nACG\nAC\nA\n", "sequence a has lines of different lengths");
  expect_refused(">a\nACG\n\nACG\n", "sequence a has lines of different lengths");
  expect_refused(">a\nACG\r\nACG\nACG\n", "sequence a has lines of different lengths");
  expect_refused(std::string(">a\0b\nACGT\n", 10), "a NUL byte");
  expect_refused(">" + std::string(70'000, 'n') + "\nACGT\n",
                 "the name of a sequence has more than 65536 bytes");
  expect_refused(gzip(">a\nACGT\n"), "not by bgzip");
  const std::string packed = compressed({">a\nACGT\n", "ACGT\n"}, "w");
  expect_refused(packed.substr(0, packed.size() / 2), "cut");
}

}  // namespace
}  // namespace virnucpro
