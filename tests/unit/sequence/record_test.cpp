#include "sequence/record.hpp"

#include <gtest/gtest.h>

#include <array>

namespace virnucpro {
namespace {

TEST(SequenceId, IsTheFirstWord) {
  EXPECT_EQ(sequence_id(""), "");
  EXPECT_EQ(sequence_id("  \t "), "");
  EXPECT_EQ(sequence_id("a"), "a");
  EXPECT_EQ(sequence_id(" \x0b\x1fread/1 length=4"), "read/1");
  EXPECT_EQ(sequence_id("a|b;c,d"), "a|b;c,d");
}

TEST(SequenceId, EndsAtTheWhiteSpaceOfPython) {
  constexpr std::array<std::string_view, 29> kSpaces{
      "\t",           "\n",           "\v",           "\f",           "\r",
      "\x1c",         "\x1d",         "\x1e",         "\x1f",         " ",
      "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
      "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
      "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
      "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};
  for (const std::string_view space : kSpaces) {
    const std::string header = std::string(space) + "id" + std::string(space) + "rest";
    EXPECT_EQ(sequence_id(header), "id") << ::testing::PrintToString(space);
  }
}

TEST(SequenceId, KeepsEverythingElse) {
  // Near misses of white space (U+200B, U+2007's lead bytes only, U+00A1) and invalid UTF-8.
  for (const std::string_view id : {"\xe2\x80\x8b", "\xe2\x80", "\xc2\xa1", "\xff\xfe", "\xa0",
                                    "\x1b[0m", "\xc3\xa9t\xc3\xa9", "\x80\xe3\x80"}) {
    EXPECT_EQ(sequence_id(std::string(id) + " x"), id) << ::testing::PrintToString(id);
  }
}

TEST(TrimmedHeader, HasNoWhiteSpaceAtItsEnds) {
  EXPECT_EQ(trimmed_header(""), "");
  EXPECT_EQ(trimmed_header(" \xc2\xa0\t"), "");
  EXPECT_EQ(trimmed_header("\xe3\x80\x80 a \xe2\x80\xa8 b\v\xe2\x80\xa8"), "a \xe2\x80\xa8 b");
  EXPECT_EQ(trimmed_header("\xa0 a\x80\xe3\x80"), "\xa0 a\x80\xe3\x80");
}

TEST(Iupac, CountsWhatIsNoNucleotideCode) {
  EXPECT_EQ(count_outside_iupac(""), 0U);
  EXPECT_EQ(count_outside_iupac("ACGTURYSWKMBDHVNacgturyswkmbdhvn"), 0U);
  EXPECT_EQ(count_outside_iupac("AC-GT.5*EFX"), 7U);
}

TEST(Iupac, NamesWhatIsNoNucleotideCode) {
  EXPECT_EQ(letters_outside_iupac("ACGTNn"), "");
  EXPECT_EQ(letters_outside_iupac("AC-GT.5*EFX-*5."), "-.5*EFX");
}

TEST(Iupac, CountsWhatStandsForMoreThanOneBase) {
  EXPECT_EQ(count_ambiguous("ACGTUacgtu-.5*EFX"), 0U);
  EXPECT_EQ(count_ambiguous("RYSWKMBDHVNryswkmbdhvnA"), 22U);
}

TEST(FastaText, SixtyColumns) {
  const std::string line(60, 'A');
  std::string out;
  append_fasta_60(out, "empty", "");
  append_fasta_60(out, "full", line);
  append_fasta_60(out, "more words", line + "c");
  EXPECT_EQ(out, ">empty\n>full\n" + line + "\n>more words\n" + line + "\nc\n");
}

TEST(FastaText, OneLine) {
  std::string out;
  append_fasta_line(out, "a", std::string(61, 'A'));
  EXPECT_EQ(out, ">a\n" + std::string(61, 'A') + "\n");
}

}  // namespace
}  // namespace virnucpro
