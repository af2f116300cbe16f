#include "sequence/frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace virnucpro {
namespace {

std::vector<std::string> shown(std::string_view chunk, const Translation& translation = {}) {
  std::vector<std::string> rows;
  for (const Frame& frame : stop_free_frames(chunk, translation)) {
    rows.push_back(std::string(kFrameNames.at(frame.name)) + " " + frame.nucleotides + " " +
                   frame.protein);
  }
  return rows;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Frames, WithoutACodonThereIsNoFrame) {
  EXPECT_THAT(shown(""), IsEmpty());
  EXPECT_THAT(shown("AC"), IsEmpty());
  EXPECT_THAT(shown("NNNNNNNNN"), IsEmpty());
}

TEST(Frames, ComeInOrderWithOneBaseMoreWhereThereIsOne) {
  EXPECT_THAT(shown("ATGGC"), ElementsAre("F1 ATGG M", "F2 TGGC W", "F3 GGC G", "R1 GCCA A",
                                          "R2 CCAT P", "R3 CAT H"));
}

TEST(Frames, AStopAnywhereDropsTheFrame) {
  EXPECT_THAT(shown("TAA"), ElementsAre("R1 TTA L"));
  EXPECT_THAT(shown("ATGTAG"),
              ElementsAre("F2 TGTA C", "F3 GTAG V", "R1 CTACAT LH", "R2 TACA Y", "R3 ACAT T"));
}

TEST(Frames, LowerCaseIsUpperCased) {
  EXPECT_EQ(shown("atGgc"), shown("ATGGC"));
}

TEST(Frames, UnknownCodonsAreDroppedAndTheNucleotidesCutToMatch) {
  // F1: ATG NNN GCC is two residues, so its nucleotides are the first 1 + 2·3 of the strand.
  EXPECT_EQ(shown("ATGNNNGCC").front(), "F1 ATGNNNG MA");
}

// The stop codon that each code reads as an amino acid; tests/oracle has every codon.
TEST(Frames, GeneticCodes) {
  const auto first = [](std::string_view codon, std::uint32_t code) {
    const auto frames = stop_free_frames(codon, {.genetic_code = code});
    return frames.empty() || frames.front().name != 0 ? "*" : frames.front().protein;
  };
  EXPECT_EQ(first("TGA", 1) + first("TGA", 4) + first("TGA", 15) + first("TGA", 25), "*W*G");
  EXPECT_EQ(first("TAG", 1) + first("TAG", 4) + first("TAG", 15) + first("TAG", 25), "**Q*");
  EXPECT_EQ(first("TAA", 4) + first("TAA", 15) + first("TAA", 25), "***");
  EXPECT_EQ(known_genetic_code(11), 1U);
  for (const std::uint64_t other :
       {0UL, 2UL, 3UL, 5UL, 6UL, 10UL, 27UL, 28UL, 31UL, 4294967297UL}) {
    EXPECT_FALSE(known_genetic_code(other)) << other;
  }
}

TEST(Frames, UIsReadAsTWhereThatIsAskedFor) {
  EXPECT_EQ(shown("augGCUUuTACC", {.rna = true}), shown("ATGGCTTTTACC"));
  EXPECT_EQ(shown("UAA", {.rna = true}), shown("TAA"));
}

TEST(Frames, OnlyAcgtAreComplemented) {
  // U, R and '-' stay: the reverse strand of GCCRU- is -URGGC.
  EXPECT_THAT(shown("GCCRU-"), ElementsAre("F1 GCCR A", "R1 -URG G"));
}

TEST(Frames, EveryCodonOfTheStandardTable) {
  const std::string letters = "TCAG";
  const std::string table = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG";
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string codon{letters[i / 16], letters[i / 4 % 4], letters[i % 4]};
    const std::vector<Frame> frames = stop_free_frames(codon);
    const bool kept = !frames.empty() && frames.front().name == 0;
    ASSERT_EQ(kept, table[i] != '*') << codon;
    if (kept) {
      EXPECT_EQ(frames.front().protein, std::string(1, table[i])) << codon;
    }
  }
}

}  // namespace
}  // namespace virnucpro
