#include "sequence/pair_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

std::string shared(PairNames& names, std::string_view first, std::string_view second) {
  std::string name;
  const std::string why = reason_of(ErrorKind::kInputMalformed, [&] {
    name = names.shared(first, second, "one.fq", {.file = "two.fq"});
  });
  return name + why;
}

std::string shared(std::string_view first, std::string_view second) {
  PairNames names;
  return shared(names, first, second);
}

TEST(PairNames, EveryConvention) {
  EXPECT_EQ(shared("r 1:N:0:A", "r 2:N:0:A"), "r");
  EXPECT_EQ(shared("a.1 1 length=150", "a.1 1 length=150"), "a.1");
  EXPECT_EQ(shared("a_1", "a_1"), "a_1");
  EXPECT_EQ(shared("r/1", "r/2"), "r");
  EXPECT_EQ(shared("SRR1.7.1 7", "SRR1.7.2 7"), "SRR1.7");
  EXPECT_EQ(shared("r_1", "r_2"), "r");
  EXPECT_EQ(shared("r:1", "r:2"), "r");
  EXPECT_EQ(shared("r_R1", "r_R2"), "r");
  EXPECT_EQ(shared("r_F", "r_R"), "r");
}

TEST(PairNames, TheFirstPairDecides) {
  PairNames names;
  EXPECT_EQ(shared(names, "a.1", "a.2"), "a");
  EXPECT_EQ(shared(names, "b.1", "b.2"), "b");
  EXPECT_THAT(shared(names, "c/1", "c/2"),
              HasSubstr("read c/2 is not the mate of c/1 in one.fq; earlier pairs have the names "
                        "NAME.1 and NAME.2"));
  PairNames equal;
  EXPECT_EQ(shared(equal, "a_1", "a_1"), "a_1");
  EXPECT_THAT(shared(equal, "b_1", "b_2"), HasSubstr("have equal names"));
  EXPECT_THAT(shared("a", "b"), HasSubstr("read b is not the mate of a in one.fq"));
}

TEST(PairNames, TheFirstMateComesFirst) {
  const std::string swap =
      "one.fq has the second reads, and two.fq has the first reads: swap the files";
  EXPECT_EQ(shared("r 2:N:0:A", "r 1:N:0:A"), swap);
  EXPECT_EQ(shared("r 3:Y:18:", "r 1:N:0:"), swap);
  EXPECT_EQ(shared("r/2", "r/1"), swap);
  EXPECT_EQ(shared("r_R2", "r_R1"), swap);
  EXPECT_EQ(shared("r 1:N:0:A", "r 3:N:0:A"), "r") << "with an index read between them";
}

TEST(PairNames, OneFileTwice) {
  for (const std::string header : {"r 1:N:0:A", "r 2:Y:0:", "r/1", "r/2"}) {
    EXPECT_THAT(shared(header, header), HasSubstr("is the same mate in both files"));
  }
}

// Words that only look like Illumina's say nothing.
TEST(PairNames, OtherSecondWords) {
  for (const std::string word :
       {"0:N:0:", "1:X:0:", "1:N::A", "1:N:0", "1:N:x:", "1", "12:N:0:", "1:N"}) {
    EXPECT_EQ(shared("r " + word, "r " + word), "r") << word;
  }
}

}  // namespace
}  // namespace virnucpro
