#include "tables/read_labels.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr unsigned kFirst = 0x1 + 0x40;
constexpr unsigned kLast = 0x1 + 0x80;

// The contigs of these tests, with their calls.
enum Contig : std::uint32_t { kVirus, kOtherVirus, kCell, kUnknown };

struct Aligned {
  std::string name = "r";
  std::uint32_t reference = kVirus;
  unsigned quality = 60;
  std::uint64_t distance = 0;
  unsigned flags = 0;
  std::uint64_t matches = 100;
  std::uint64_t clipped = 0;
};

// Some columns of the rows: read, contig, quality, whether it maps well, call, tier, mate.
std::vector<std::string> labels_of(const std::vector<Aligned>& alignments, LabelRule rule = {},
                                   std::size_t rows_in_memory = 1000) {
  const TempDir folder;
  const Cancel never;
  ReferenceList references;
  for (const char* name : {"virus", "other_virus", "cell", "unknown"}) references.add(name, 1000);
  references.index();
  const std::vector<ContigCall> calls{{.call = kViralCall, .tier = "high_confidence"},
                                      {.call = kViralCall, .tier = "low_confidence"},
                                      {.call = kNonviralCall, .tier = "high_confidence"},
                                      {.call = kUnclassifiedCall, .tier = ""}};
  ReadLabels labels(
      rule, references,
      [&calls](std::uint32_t reference) -> const ContigCall& { return calls.at(reference); },
      Directory(folder.path()), rows_in_memory, never);
  std::uint64_t number = 0;
  for (const Aligned& aligned : alignments) {
    MappedAlignment alignment{.name = aligned.name,
                              .flags = aligned.flags,
                              .reference = aligned.reference,
                              .mapping_quality = aligned.quality,
                              .edit_distance = aligned.distance,
                              .number = ++number};
    alignment.cigar.add('M', aligned.matches);
    alignment.cigar.add('S', aligned.clipped);
    labels.add(alignment);
  }
  std::string text;
  const ReadCounts counts = labels.finish([&text](std::string_view part) { text += part; });
  std::vector<std::string> rows;
  std::uint64_t reads = 0;
  for (const std::uint64_t count : counts) reads += count;
  for (const std::string_view line : split_list(text, '\n')) {
    const auto fields = split_list(line, '\t');
    if (fields.size() < 19 || fields[0] == "read_id") continue;
    rows.push_back(fmt::format("{} {} {} {} {} {} {}", fields[0], fields[2], fields[5], fields[8],
                               fields[9], fields[10], fields[18]));
  }
  EXPECT_EQ(rows.size(), reads);
  return rows;
}

TEST(ReadLabels, TheBestAlignmentCounts) {
  EXPECT_THAT(labels_of({{.quality = 3}, {.reference = kOtherVirus, .quality = 4, .distance = 50}}),
              ElementsAre("r other_virus 4 False Viral low_confidence 0"));
  EXPECT_THAT(labels_of({{.distance = 2}, {.reference = kOtherVirus, .distance = 1}}),
              ElementsAre("r other_virus 60 True Viral low_confidence 0"));
  EXPECT_THAT(labels_of({{}, {.reference = kOtherVirus}}),
              ElementsAre("r virus 60 True Viral high_confidence 0"));
}

// Some aligners write 255 for a read that lies nowhere else.
TEST(ReadLabels, EveryQualityIsANumber) {
  EXPECT_THAT(labels_of({{.quality = 60}, {.reference = kOtherVirus, .quality = 255}}),
              ElementsAre("r other_virus 255 True Viral low_confidence 0"));
}

TEST(ReadLabels, WhatIsMappedWell) {
  const auto is_well = [](const Aligned& aligned) {
    return labels_of({aligned}).front().find(" True ") != std::string::npos;
  };
  EXPECT_TRUE(is_well({.quality = 5, .distance = 10, .matches = 100, .clipped = 25}));
  EXPECT_FALSE(is_well({.quality = 4, .distance = 10, .matches = 100, .clipped = 25}));
  EXPECT_FALSE(is_well({.quality = 5, .distance = 11, .matches = 100, .clipped = 25}));
  EXPECT_FALSE(is_well({.quality = 5, .distance = 10, .matches = 100, .clipped = 26}));
  // 89.9999 and 79.9999 are printed as 90.0 and 80.0.
  EXPECT_FALSE(is_well({.distance = 100'001, .matches = 1'000'000}));
  EXPECT_FALSE(is_well({.matches = 799'999, .clipped = 200'001}));
}

TEST(ReadLabels, SeveralCallsMakeAReadMultiMapped) {
  const std::vector<Aligned> mates{{.flags = kFirst},
                                   {.reference = kCell, .quality = 9, .flags = kLast}};
  EXPECT_THAT(labels_of(mates), ElementsAre("r virus 60 True Multi-mapped review 1"));
  EXPECT_THAT(labels_of(mates, {.mates_apart = true}),
              ElementsAre("r virus 60 True Viral high_confidence 1",
                          "r cell 9 True Non-viral high_confidence 2"));
  EXPECT_THAT(labels_of({{}, {.reference = kCell}, {}}),
              ElementsAre("r virus 60 True Multi-mapped review 0"));
  EXPECT_THAT(labels_of({{}, {.reference = kOtherVirus, .quality = 5}}),
              ElementsAre("r virus 60 True Viral high_confidence 0"));
}

TEST(ReadLabels, UnclassifiedAlignmentsCountOrNot) {
  const std::vector<Aligned> both{{.reference = kUnknown}, {.quality = 7}};
  const LabelRule ignored{.ignores_unclassified = true};
  EXPECT_THAT(labels_of(both), ElementsAre("r unknown 60 True Multi-mapped review 0"));
  EXPECT_THAT(labels_of(both, ignored), ElementsAre("r virus 7 True Viral high_confidence 0"));
  EXPECT_THAT(labels_of({{.reference = kUnknown}}, ignored),
              ElementsAre("r unknown 60 True Unclassified  0"));
}

TEST(ReadLabels, RowsAreInTheOrderOfTheFirstAlignments) {
  std::vector<Aligned> alignments;
  std::vector<std::string> expected;
  for (std::uint64_t k = 0; k < 300; ++k) {
    alignments.push_back({.name = fmt::format("r{}", k * 7919 % 300), .quality = 1});
    expected.push_back(
        fmt::format("{} virus 2 False Viral high_confidence 0", alignments.back().name));
  }
  for (std::uint64_t k = 0; k < 300; ++k) {
    alignments.push_back({.name = fmt::format("r{}", k), .quality = 2});
  }
  for (const std::size_t rows : {1U, 7U, 1000U})
    EXPECT_EQ(labels_of(alignments, {}, rows), expected);
}

// The order of rows follows from all of a read's alignments, the ignored ones too.
TEST(ReadLabels, IgnoredAlignmentsStillPlaceTheirRead) {
  EXPECT_THAT(labels_of({{.reference = kUnknown}, {.name = "s"}, {.quality = 9}},
                        {.ignores_unclassified = true}),
              ElementsAre("r virus 9 True Viral high_confidence 0",
                          "s virus 60 True Viral high_confidence 0"));
}

TEST(ReadLabels, NoReads) {
  EXPECT_THAT(labels_of({}), IsEmpty());
}

}  // namespace
}  // namespace virnucpro
