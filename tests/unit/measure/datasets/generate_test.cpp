#include "measure/datasets/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "sequence/frames.hpp"

namespace virnucpro {
namespace {

std::string generated(const GenerateSettings& settings) {
  std::string text;
  generate_fasta(settings, [&text](std::string_view piece) { text += piece; });
  return text;
}

// The letters of every sequence.
std::vector<std::string> sequences(const std::string& text) {
  std::vector<std::string> all;
  bool in_header = false;
  for (const char c : text) {
    if (c == '>') {
      all.emplace_back();
      in_header = true;
    } else if (c == '\n') {
      in_header = false;
    } else if (!in_header) {
      all.back() += c;
    }
  }
  return all;
}

bool is_coding(const std::string& letters) {
  const std::vector<Frame> frames = stop_free_frames(letters);
  return !frames.empty() && frames.front().name == 0;
}

double gc_share(const std::string& text) {
  std::size_t gc = 0;
  std::size_t all = 0;
  for (const std::string& letters : sequences(text)) {
    gc += static_cast<std::size_t>(std::count(letters.begin(), letters.end(), 'G') +
                                   std::count(letters.begin(), letters.end(), 'C'));
    all += letters.size();
  }
  return static_cast<double>(gc) / static_cast<double>(all);
}

TEST(Generate, TheBytesArePinned) {
  const std::string text = generated(
      {.seed = 7, .count = 100, .length = FixedLength{301}, .gc = {41, 100}, .coding = {1, 2}});

  EXPECT_EQ(text.substr(0, 7), ">seq_1\n");
  EXPECT_EQ(content_hash(text), "d23e78a5783923c95ed1b6a5190e20ae");
}

TEST(Generate, SixtyColumns) {
  for (const std::uint64_t length : {0U, 1U, 59U, 60U, 61U, 120U}) {
    const std::string text = generated({.count = 2, .length = FixedLength{length}});
    const std::size_t lines = (length + 59) / 60;
    EXPECT_EQ(text.size(), 2 * (7 + length + lines)) << length;
    for (const std::string& letters : sequences(text)) EXPECT_EQ(letters.size(), length);
  }
  EXPECT_EQ(generated({.count = 0, .length = FixedLength{100}}), "");
}

TEST(Generate, CodingSequencesHaveAStopFreeFirstFrame) {
  const std::string text =
      generated({.seed = 3, .count = 400, .length = FixedLength{500}, .coding = {1, 1}});
  for (const std::string& letters : sequences(text)) EXPECT_TRUE(is_coding(letters));
}

TEST(Generate, TheShareOfCodingSequencesHoldsInEveryPrefix) {
  const std::string text =
      generated({.seed = 3, .count = 300, .length = FixedLength{900}, .coding = {3, 10}});
  std::size_t coding = 0;
  std::size_t count = 0;
  for (const std::string& letters : sequences(text)) {
    coding += is_coding(letters) ? 1U : 0U;
    ++count;
    EXPECT_EQ(coding, 3 * count / 10) << count;
  }
}

TEST(Generate, GcIsWhatWasAskedForWithAndWithoutStops) {
  for (const std::uint32_t percent : {0U, 10U, 25U, 41U, 50U, 75U, 100U}) {
    for (const Fraction coding : {Fraction{0, 1}, Fraction{1, 1}}) {
      const std::string text = generated({.seed = 1,
                                          .count = 50,
                                          .length = FixedLength{6000},
                                          .gc = {percent, 100},
                                          .coding = coding});
      EXPECT_NEAR(gc_share(text), percent / 100.0, 0.005) << percent;
    }
  }
}

TEST(Generate, ASequenceDependsOnSeedAndPlaceOnly) {
  const std::string few = generated({.seed = 5, .count = 3, .length = FixedLength{200}});
  const std::string more = generated({.seed = 5, .count = 9, .length = FixedLength{200}});
  EXPECT_EQ(more.substr(0, few.size()), few);
  EXPECT_NE(generated({.seed = 6, .count = 3, .length = FixedLength{200}}), few);
}

TEST(Generate, LongSequencesComeInBoundedPieces) {
  std::size_t largest = 0;
  generate_fasta({.count = 1, .length = FixedLength{2'000'000}},
                 [&](std::string_view piece) { largest = std::max(largest, piece.size()); });
  EXPECT_LE(largest, std::size_t{300} << 10U);
}

TEST(Generate, RefusesWhatIsOutOfBounds) {
  EXPECT_THROW(generated({.count = (std::uint64_t{1} << 40U) + 1}), Error);
  EXPECT_THROW(generated({.count = 1, .length = FixedLength{2'147'483'648U}}), Error);
  EXPECT_THROW(generated({.length = UniformLengths{.least = 2, .most = 1}}), Error);
  EXPECT_THROW(generated({.gc = {2, 1}}), Error);
  EXPECT_THROW(generated({.coding = {0, 0}}), Error);
}

TEST(Generate, SpansOneAfterTheOtherAreTheWhole) {
  const GenerateSettings settings{
      .seed = 4, .count = 90, .length = UniformLengths{.least = 0, .most = 300}, .coding = {1, 3}};
  std::string text;
  GeneratedFigures figures;
  for (const SequenceSpan span : {SequenceSpan{0, 7}, SequenceSpan{7, 7}, SequenceSpan{7, 90}}) {
    generate_fasta(
        settings, span, [&text](std::string_view piece) { text += piece; }, figures);
  }
  EXPECT_EQ(text, generated(settings));
  EXPECT_EQ(figures.lengths.count(), 90U);
  EXPECT_EQ(figures.coding_sequences, 30U);
}

TEST(Generate, CountsWhatItWrites) {
  const GenerateSettings settings{.seed = 2, .count = 70, .length = FixedLength{333}, .gc = {1, 4}};
  GeneratedFigures figures;
  std::string text;
  generate_fasta(
      settings, {.begin = 0, .end = 70}, [&text](std::string_view piece) { text += piece; },
      figures);
  EXPECT_EQ(figures.lengths.letters(), 70U * 333U);
  EXPECT_DOUBLE_EQ(static_cast<double>(figures.gc_bases) / (70 * 333), gc_share(text));
}

TEST(Generate, CodingSequencesOfAnyLengthHaveAStopFreeFirstFrame) {
  const std::string text = generated({.seed = 8,
                                      .count = 600,
                                      .length = UniformLengths{.least = 0, .most = 200},
                                      .gc = {1, 5},
                                      .coding = {1, 1}});
  std::size_t short_ones = 0;
  for (const std::string& letters : sequences(text)) {
    short_ones += letters.size() < 3 ? 1U : 0U;
    EXPECT_TRUE(letters.size() < 3 || is_coding(letters)) << letters;
  }
  EXPECT_GT(short_ones, 0U);
}

}  // namespace
}  // namespace virnucpro
